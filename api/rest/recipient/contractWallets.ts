import { reasonOf } from '../../../services/chain/accountSender.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import type { WriteContext } from '../writeContext.ts'

/**
 * Signatures that aren't the key's own, for each client: chains are asked whether the wallet is a contract
 * that accepts them. A person, or a backend for its users, sends a few; a flood is refused.
 */
const UNPROVEN_SIGNATURES = { perSecond: 1, burst: 60 }

/** And for all clients together. */
const AT_ONCE = 4
const WAITING = 40

/** What a signature of an account that isn't deployed yet ends with (ERC-6492). */
const ERC6492_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492'

/** A wallet's claim, and how it asks the enclave to verify it. */
type Claim<Answer> = {
  /** Lower case. */
  wallet: Hex
  signature: Hex
  /** Whose rate is charged. */
  client: string
  /** Chains on which the wallet may be a contract. */
  chains: readonly number[]
  /** Undefined: as a key. */
  ask(contractOn: number | undefined): Promise<Answer>
}

/** The enclave's answer to a wallet, and as what kind it was accepted. */
export type VerifiedWallet<Answer> = { contractOn: number | undefined; answer: Answer }

export type ContractWallets = {
  /**
   * Asks the enclave as a key and, where that isn't the wallet's, as a contract on each chain on which it
   * may be one. Nodes are asked only for addresses with code, or for signatures that say how the code will
   * come; limited per client, so that a flood of false signatures doesn't reach the nodes.
   *
   * @returns every kind as which the wallet was accepted; none when the signature isn't its own
   */
  verify<Answer>(claim: Claim<Answer>): Promise<VerifiedWallet<Answer>[]>
}

export function createContractWallets(clientOf: WriteContext['clientOf']): ContractWallets {
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
      unproven.require(claim.client)
      return limiter.pass(async () => {
        const asked = claim.chains.map((chainId) => askAsContract(claim, chainId))
        const settled = await Promise.allSettled(asked)
        const found = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
        // One chain's confirmation is enough; without any, an unreachable one may have been the
        // right one.
        const failed = settled.find((one) => one.status === 'rejected')
        if (found.length === 0 && failed) throw failed.reason
        return found
      })
    },
  }
}

function nullUnlessSigned(error: unknown): null {
  if (error instanceof EnclaveError && error.code === 'SIGNATURE_INVALID') return null
  throw error
}

/** viem's error may quote the node's URL. */
function unreachable(error: unknown): never {
  const cause = new Error(reasonOf(error))
  throw new UnavailableError('the wallet’s chain can’t be reached', 'RPC_UNREACHABLE', 2, cause)
}

function busy(): UnavailableError {
  return new UnavailableError('too many contract wallets are being checked', 'RPC_UNREACHABLE', 2)
}
