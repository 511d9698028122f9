import {
  BaseError,
  createPublicClient,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  HttpRequestError,
  http,
  LimitExceededRpcError,
  type PublicClient,
  TimeoutError,
} from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { usualAgreement } from '../../chain/usualAgreement.ts'
import type { EnclaveChain } from '../chains.ts'
import { EnclaveError } from '../enclaveError.ts'
import { gatherAnswers } from '../settlement/gatherAnswers.ts'

/** What a wallet's contract is said to accept. */
export type ContractSignature = { wallet: Hex; hash: Hex; signature: Hex }

/**
 * Whether the wallet's contract on a chain accepts a signature by ERC-1271, also before it is deployed
 * (ERC-6492): as many witnesses of the chain as must agree say so, and none says no. Rejects with `WITNESS_UNREACHABLE`.
 */
export type ContractSigners = (chainId: number, signed: ContractSignature) => Promise<boolean>

/** Milliseconds that a witness has for one answer. */
const PATIENCE = 5_000

/** Milliseconds that the others get once enough have answered. */
const GRACE = 2_000

/** What the check may cost a node: a stranger's signature can hold any call at all. */
const GAS = 3_000_000n

/** Asks over JSON-RPC, by the validator of ERC-6492, which runs in the call and is deployed nowhere. */
export function rpcContractSigners(chains: readonly EnclaveChain[]): ContractSigners {
  const known = new Map(
    chains.map(({ chainId, witnesses, agreeing }) => {
      const needed = agreeing ?? usualAgreement(witnesses.length)
      return [chainId, { clients: witnesses.map(clientOf), needed }]
    }),
  )
  return async (chainId, signed) => {
    const { clients, needed } = known.get(chainId) ?? { clients: [], needed: 1 }
    if (clients.length === 0) throw new EnclaveError('CHAIN_NOT_CONFIGURED')
    const asked = clients.map((client) => accepts(client, signed))
    const given = await gatherAnswers(asked, needed, GRACE)
    if (given.length < needed) throw new EnclaveError('WITNESS_UNREACHABLE')
    return given.every(({ answer: isAccepted }) => isAccepted)
  }
}

async function accepts(
  client: PublicClient,
  { wallet, hash, signature }: ContractSignature,
): Promise<boolean> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [wallet, hash, signature],
  })
  try {
    const answer = await client.call({ data, gas: GAS })
    return answer.data !== undefined && BigInt(answer.data) === 1n
  } catch (error) {
    // What a provider says of its failure may quote its URL, and the key in it.
    if (isUnanswered(error)) throw new EnclaveError('WITNESS_UNREACHABLE')
    return false
  }
}

/** The node said nothing, as opposed to that the call failed. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof BaseError)) return true
  const found = error.walk(
    (one) =>
      one instanceof HttpRequestError ||
      one instanceof TimeoutError ||
      one instanceof LimitExceededRpcError,
  )
  return found !== null
}

function clientOf(url: string): PublicClient {
  return createPublicClient({ transport: http(url, { timeout: PATIENCE, retryCount: 1 }) })
}
