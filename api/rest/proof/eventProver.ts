import type { EventProof } from '../../../core/proof/proofDocument.ts'
import { ProofError } from '../../../core/proof/proofError.ts'
import { chainClient } from '../../../services/chain/chainClient.ts'
import {
  BlockUnavailableError,
  type FetchedBlock,
  fetchBlock,
  type SendRequest,
} from '../../../services/chain/proof/fetchBlock.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EventRow } from '../../../src/projection/rows.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import { withDeadline } from '../../http/withDeadline.ts'
import { proveEvents } from './proveEvents.ts'

/** A chain whose events can be proven. */
export type ProvableChain = {
  chainId: number
  /** ChainId name. */
  name: string
  bridge: Hex
  ask: SendRequest
}

/**
 * Verified proofs of indexed events, in their order. Blocks that aren't cached are charged to the
 * client first.
 *
 * @throws UnavailableError, RateLimitedError
 */
export type EventProver = (rows: readonly EventRow[], client: string) => Promise<EventProof[]>

/** Charges a client for blocks that are fetched for its proofs; a request never costs more than the burst. */
type ProofBudget = (client: string, blocks: number) => void

/** The configured chains, with a client each. */
export function provableChains(
  chains: readonly Pick<ChainConfig, 'name' | 'chainId' | 'rpcUrls' | 'bridge'>[],
): ProvableChain[] {
  return chains.map((chain) => {
    const client = chainClient(chain)
    return {
      ...{ chainId: chain.chainId, name: chain.name, bridge: chain.bridge.toLowerCase() as Hex },
      ask: (method, params) => client.request({ method, params } as never),
    }
  })
}

type EventProverTerms = {
  chains: readonly ProvableChain[]
  /** Bytes of proofs kept. Default 32 MiB. */
  cacheBytes?: number
  /** Blocks fetched from one chain at once, and waiting for their turn. Default 4 and 256. */
  blocksAtOnce?: number
  blocksWaiting?: number
  /** What one client may cost. Default: 64 blocks at once, 2 a second. */
  budget?: ProofBudget
  /** Milliseconds after which a request is refused; its work continues into the cache. Default 20,000. */
  deadlineMs?: number
}

type BlockRows = [EventRow, ...EventRow[]]

/**
 * Seconds after which to retry, by why no proof can be given now, though the intent is known.
 * - `RPC_UNREACHABLE`: the chain's node doesn't answer, or doesn't have the block (yet).
 * - `REORG_IN_PROGRESS`: the chain has another block there than the index; one of them will follow.
 * - `PROOF_NOT_VERIFIED`: what the node answered doesn't hash to what the index has. Never served.
 * - `PROOF_BUSY`: too many proofs are being made.
 */
const RETRY_AFTER = {
  RPC_UNREACHABLE: 5,
  REORG_IN_PROGRESS: 15,
  PROOF_NOT_VERIFIED: 60,
  PROOF_BUSY: 2,
} as const

/** The failure of a proof that can't be given now. */
export function proofFailure(code: keyof typeof RETRY_AFTER, message: string, cause?: unknown) {
  return new UnavailableError(message, code, RETRY_AFTER[code], cause)
}

export function createProofBudget(limits: Parameters<typeof createRateLimit>[1]): ProofBudget {
  const ofClients = createRateLimit('proof-blocks', limits)
  return (client, blocks) => ofClients.require(client, Math.min(blocks, limits.burst))
}

/** An event prover over these chains. Its memory is bounded, and nothing in it outlives the process. */
export function createEventProver(terms: EventProverTerms): EventProver {
  const { cacheBytes = 32 * 1024 * 1024, blocksAtOnce = 4, blocksWaiting = 256 } = terms
  const { deadlineMs = 20_000, budget = createProofBudget({ burst: 64, perSecond: 2 }) } = terms
  // By the block's hash: what a reorg replaces has another key.
  const cache = createLruCache<string, EventProof>(cacheBytes)
  const underWay = new Map<string, Promise<FetchedBlock>>()
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
    // Two requests that need the same block at the same time share its fetching.
    const key = blockOf(first)
    const fetching =
      underWay.get(key) ??
      chain.limiter.pass(() => fetchBlock(chain.ask, first)).finally(() => underWay.delete(key))
    underWay.set(key, fetching)
    try {
      return await proveEvents(await fetching, rows, chain.bridge)
    } catch (cause) {
      throw asFailure(cause, first)
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
      throw proofFailure('PROOF_BUSY', 'The proof isn’t ready yet: ask again')
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

function asFailure(cause: unknown, row: EventRow): unknown {
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
