import type { EventProof } from '../../../core/proof/proofDocument.ts'
import { ProofError } from '../../../core/proof/proofError.ts'
import { createChainClient } from '../../../services/chain/chainClient.ts'
import {
  BlockUnavailableError,
  type FetchedBlock,
  fetchBlock,
  type SendRequest,
} from '../../../services/chain/proof/fetchBlock.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import { withDeadline } from '../../http/withDeadline.ts'
import { proveBlockEvents } from './proveBlockEvents.ts'

/** A chain whose events can be proven. */
export type ProvableChain = {
  chainId: number
  /** ChainId name. */
  name: string
  bridge: Hex
  send: SendRequest
}

/**
 * Returns verified proofs of indexed events, in their order. First charges the client for the blocks that aren't
 * cached.
 *
 * @throws UnavailableError, RateLimitedError
 */
export type EventProver = (rows: readonly EventRow[], client: string) => Promise<EventProof[]>

/** Charges a client for the blocks that its proofs need; a request costs at most the burst. */
type ProofBudget = (client: string, blocks: number) => void

/** The configured chains, each with a client. */
export function provableChains(
  chains: readonly Pick<ChainConfig, 'name' | 'chainId' | 'rpcUrls' | 'bridge'>[],
): ProvableChain[] {
  return chains.map((chain) => {
    const client = createChainClient(chain)
    return {
      chainId: chain.chainId,
      name: chain.name,
      bridge: chain.bridge.toLowerCase() as Hex,
      send: (method, params) => client.request({ method, params } as never),
    }
  })
}

type EventProverTerms = {
  chains: readonly ProvableChain[]
  /** Memory for proofs. Default 32 MiB. */
  cacheBytes?: number
  /** Blocks fetched from a chain at once, and queued. Default 4 and 256. */
  blocksAtOnce?: number
  blocksWaiting?: number
  /** Blocks per client. Default: 64 at once, 2 a second. */
  budget?: ProofBudget
  /** Milliseconds after which a request fails; its work continues and is cached. Default 20,000. */
  deadlineMs?: number
}

type BlockRows = [EventRow, ...EventRow[]]

/**
 * Seconds after which to retry, by the reason why there is no proof at the moment.
 * - `RPC_UNREACHABLE`: the chain's node doesn't answer, or doesn't have the block (yet).
 * - `REORG_IN_PROGRESS`: the chain and the index have different blocks at that height.
 * - `PROOF_NOT_VERIFIED`: the node's data doesn't hash to what the index has. It is never served.
 * - `PROOF_BUSY`: too many proofs are being made.
 */
const RETRY_AFTER = {
  RPC_UNREACHABLE: 5,
  REORG_IN_PROGRESS: 15,
  PROOF_NOT_VERIFIED: 60,
  PROOF_BUSY: 2,
} as const

/** The failure of a proof that can't be made at the moment. */
export function proofFailure(code: keyof typeof RETRY_AFTER, message: string, cause?: unknown) {
  return new UnavailableError(message, code, RETRY_AFTER[code], cause)
}

export function createProofBudget(limits: Parameters<typeof createRateLimit>[1]): ProofBudget {
  const ofClients = createRateLimit('proof-blocks', limits)
  return (client, blocks) => ofClients.require(client, Math.min(blocks, limits.burst))
}

/** Creates a prover of bounded memory. */
export function createEventProver(terms: EventProverTerms): EventProver {
  const { cacheBytes = 32 * 1024 * 1024, blocksAtOnce = 4, blocksWaiting = 256 } = terms
  const { deadlineMs = 20_000, budget = createProofBudget({ burst: 64, perSecond: 2 }) } = terms
  // Keyed by block hash, so a reorg doesn't invalidate it.
  const cache = createLruCache<string, EventProof>(cacheBytes)
  const fetches = new Map<string, Promise<FetchedBlock>>()
  const provable = new Map(
    terms.chains.map((chain) => [
      chain.chainId,
      { ...chain, limiter: createConcurrencyLimiter(blocksAtOnce, blocksWaiting, proofsBusy) },
    ]),
  )

  async function proveBlockOf(rows: BlockRows): Promise<EventProof[]> {
    const [first] = rows
    const chain = provable.get(first.chainId)
    if (chain === undefined) {
      throw proofFailure('RPC_UNREACHABLE', `No node of chain ${first.chainId} is configured`)
    }
    // Concurrent requests for a block share one fetch.
    const key = blockOf(first)
    const fetching =
      fetches.get(key) ??
      chain.limiter.pass(() => fetchBlock(chain.send, first)).finally(() => fetches.delete(key))
    fetches.set(key, fetching)
    try {
      return await proveBlockEvents(await fetching, rows, chain.bridge)
    } catch (cause) {
      throw toFailure(cause, first)
    }
  }

  return async (rows, client) => {
    const proofs = new Map(rows.map((row) => [row, cache.get(eventOf(row))]))
    const missing = rows.filter((row) => proofs.get(row) === undefined)
    const blocks = [...Map.groupBy(missing, blockOf).values()] as BlockRows[]
    budget(client, blocks.length)
    const making = Promise.all(
      blocks.map(async (block) => {
        const made = await proveBlockOf(block)
        for (const [index, row] of block.entries()) {
          const proof = made[index]!
          proofs.set(row, proof)
          cache.set(eventOf(row), proof, JSON.stringify(proof).length)
        }
      }),
    )
    if ((await withDeadline(deadlineMs, making, null)) === null) {
      throw proofFailure('PROOF_BUSY', 'The proof isn’t ready yet: retry')
    }
    return rows.map((row) => proofs.get(row)!)
  }
}

function blockOf({ chainId, blockHash }: EventRow): string {
  return `${chainId}:${blockHash}`
}

function eventOf(row: EventRow): string {
  return `${blockOf(row)}:${row.logIndex}`
}

function toFailure(cause: unknown, row: EventRow): unknown {
  if (cause instanceof BlockUnavailableError) {
    return proofFailure(cause.code, cause.message, cause)
  }
  if (!(cause instanceof ProofError)) return cause
  return proofFailure(
    'PROOF_NOT_VERIFIED',
    `The node of chain ${row.chainId} gave data for block ${row.blockNumber} that doesn't verify (${cause.code})`,
    cause,
  )
}

function proofsBusy(): UnavailableError {
  return proofFailure('PROOF_BUSY', 'Too many proofs are being made')
}
