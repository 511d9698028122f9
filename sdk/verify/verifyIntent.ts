import { ProofError } from '../../core/proof/proofError.ts'
import { requireIntentId } from '../errors/invalidArgument.ts'
import { type CairnChain, CairnError, type ChainClient } from '../index.ts'
import { fetchProof } from './fetchProof.ts'
import type { VerifiedIntent } from './verifiedIntent.ts'
import { verifyProof } from './verifyProof.ts'

export type VerifyOptions = {
  /** The relayer's URL. The relayer isn't trusted. */
  baseUrl: string
  /**
   * The bridges you trust, and nodes that confirm blocks. Without a `publicClient`, a chain's blocks stay `unconfirmed`.
   */
  chains: readonly Pick<CairnChain, 'chainId' | 'bridge' | 'publicClient'>[]
  /** Timeout per page in milliseconds; default 30,000, because proofs take long to generate. */
  requestTimeoutMs?: number | undefined
}

/**
 * Fetches an intent's proof from a relayer and verifies it: offline, against your bridges, and its blocks against your nodes.
 *
 * @param id as for `CairnClient.intent`
 * @throws ProofError when it is false; CairnError `NOT_CANONICAL` when your node has another block,
 *   `RPC_UNREACHABLE`, `INVALID_REQUEST` for an invalid id; RelayerError
 */
export async function verifyIntent(
  id: bigint | string,
  { baseUrl, chains, requestTimeoutMs = 30_000 }: VerifyOptions,
): Promise<VerifiedIntent> {
  const intentId = requireIntentId(id, 'id')
  const verified = await verifyProof(await fetchProof(baseUrl, intentId, requestTimeoutMs))
  if (verified.intentId !== intentId) {
    const words = `the relayer returned a proof of intent ${verified.intentId}, not ${intentId}`
    throw new ProofError('EVENT_OF_ANOTHER_INTENT', words)
  }
  for (const { chainId, address } of verified.bridges) {
    const trusted = chains.find((chain) => chain.chainId === chainId)?.bridge
    if (trusted?.toLowerCase() === address) continue
    const words = `the events of chain ${chainId} are from ${address}, which isn’t the bridge in chains`
    throw new ProofError('LOG_OF_ANOTHER_CONTRACT', words)
  }
  const clients = new Map(chains.map(({ chainId, publicClient }) => [chainId, publicClient]))
  const unconfirmed: VerifiedIntent['unconfirmed'] = []
  for (const block of verified.unconfirmed) {
    const client = clients.get(block.chainId)
    if (client === undefined) unconfirmed.push(block)
    else await confirm(client, block)
  }
  return { ...verified, unconfirmed }
}

async function confirm(
  client: ChainClient,
  { chainId, blockNumber, blockHash }: VerifiedIntent['unconfirmed'][number],
): Promise<void> {
  const { hash } = await client
    .getBlock({ blockNumber: BigInt(blockNumber) })
    .catch((cause: unknown) => {
      const words = `your node for chain ${chainId} doesn’t return block ${blockNumber}: try again, or ask another node`
      throw new CairnError('RPC_UNREACHABLE', words, { cause })
    })
  if (hash === blockHash) return
  const words = `block ${blockNumber} of chain ${chainId} is ${blockHash} in the proof, and your node has ${hash}: don’t rely on the proof`
  throw new CairnError('NOT_CANONICAL', words, { details: { chainId, blockNumber } })
}
