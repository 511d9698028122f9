import { findReason } from '../../../services/chain/accountSender.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { ERC6492_SUFFIX } from '../../http/auth/isSignedBy.ts'
import { writerOf } from '../../http/limits/clientAddress.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import type { WriteContext } from '../writeContext.ts'

/**
 * Limits, per client, signatures that no key made: the chains are asked whether the wallet is a contract that
 * accepts them. People, and backends for their users, send few of them.
 */
const UNPROVEN_SIGNATURES = { perSecond: 1, burst: 60 }

/** Checks that run at once and that are queued, over all clients. */
const AT_ONCE = 4
const WAITING = 40

/** A request that a wallet signed, and how to have the enclave verify it. */
type Claim<Answer> = {
  /** Lower case. */
  wallet: Hex
  signature: Hex
  /** The client that is charged. */
  client: string
  /** Chains on which the wallet may be a contract. */
  chains: readonly number[]
  /** @param contractOn the chain of a wallet that is a contract; undefined for a key */
  ask(contractOn: number | undefined): Promise<Answer>
}

/** The enclave's answer to a wallet, as a key or as a contract. */
export type VerifiedWallet<Answer> = { contractOn: number | undefined; answer: Answer }

export type WalletVerifier = {
  /**
   * Has the enclave verify the signature as a key's and, failing that, as a contract's on each chain on which the
   * wallet may be one. The enclave asks nodes only about addresses with code, or signatures that deploy it
   * (ERC-6492). Limited per client, so that a flood of false signatures doesn't reach the nodes.
   *
   * @returns an answer for each way in which the signature is valid; none if it isn't the wallet's
   */
  verify<Answer>(claim: Claim<Answer>): Promise<VerifiedWallet<Answer>[]>
}

export function createWalletVerifier(clientOf: WriteContext['clientOf']): WalletVerifier {
  const unproven = createRateLimit('unproven-signatures', UNPROVEN_SIGNATURES)
  const limiter = createConcurrencyLimiter(AT_ONCE, WAITING, busy)

  async function mayBeContract(claim: Claim<unknown>, chainId: number): Promise<boolean> {
    const { wallet, signature } = claim
    if (signature.endsWith(ERC6492_SUFFIX)) return true
    const code = await clientOf(chainId)?.getCode({ address: wallet }).catch(unreachable)
    return code !== undefined && code !== '0x'
  }

  async function askAsContract<Answer>(
    claim: Claim<Answer>,
    contractOn: number,
  ): Promise<VerifiedWallet<Answer>[]> {
    if (!(await mayBeContract(claim, contractOn))) return []
    const answer = await claim.ask(contractOn).catch(nullUnlessSigned)
    return answer === null ? [] : [{ contractOn, answer }]
  }

  return {
    verify: async (claim) => {
      const answer = await claim.ask(undefined).catch(nullUnlessSigned)
      if (answer !== null) return [{ contractOn: undefined, answer }]
      if (claim.chains.length === 0) return []
      unproven.require(writerOf(claim.client))
      return limiter.pass(async () => {
        const results = await Promise.allSettled(
          claim.chains.map((chainId) => askAsContract(claim, chainId)),
        )
        const accepted = results.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
        // One chain is enough. Without any, the wallet may be on a chain that couldn't be reached.
        const failed = results.find((one) => one.status === 'rejected')
        if (accepted.length === 0 && failed) throw failed.reason
        return accepted
      })
    },
  }
}

function nullUnlessSigned(error: unknown): null {
  if (error instanceof EnclaveError && error.code === 'SIGNATURE_INVALID') return null
  throw error
}

/** viem's error may contain the node's URL. */
function unreachable(error: unknown): never {
  const cause = new Error(findReason(error))
  const words = 'the wallet’s chain can’t be reached: try again'
  throw new UnavailableError(words, 'RPC_UNREACHABLE', 2, cause)
}

function busy(): UnavailableError {
  const words = 'too many contract wallets are being checked: try again'
  return new UnavailableError(words, 'RPC_UNREACHABLE', 2)
}
