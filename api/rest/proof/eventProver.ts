import type { EventProof } from '../../../core/proof/proofDocument.ts'
import { ProofError } from '../../../core/proof/proofError.ts'
import {
  type AskChain,
  BlockUnavailableError,
  type FetchedBlock,
  fetchBlock,
} from '../../../services/chain/proof/fetchBlock.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EventRow } from '../../../src/projection/rows.ts'
import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
} from '../../http/limits/concurrencyLimiter.ts'
import { createProofBudget, type ProofBudget } from './proofBudget.ts'
import { createProofCache } from './proofCache.ts'
import { ProofFailure } from './proofFailure.ts'
import { proveEvents } from './proveEvents.ts'

/** A chain whose events can be proven. */
export type ProvableChain = {
  chainId: number
  /** ChainId name. */
  name: string
  bridge: Hex
  ask: AskChain
}

/** Makes proofs of indexed events. */
export type EventProver = {
  /**
   * Verified proofs of these events, in their order. Blocks that aren't cached are charged to the
   * client first. Throws ProofFailure or ProofBudgetExceeded.
   */
  prove(rows: readonly EventRow[], client: string): Promise<EventProof[]>
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
 * An event prover over these chains. Its memory is bounded, and nothing in it outlives the process.
 */
export function createEventProver(terms: EventProverTerms): EventProver {
  const { cacheBytes = 32 * 1024 * 1024, blocksAtOnce = 4, blocksWaiting = 256 } = terms
  const { deadlineMs = 20_000 } = terms
  const budget = terms.budget ?? createProofBudget({ burst: 64, perSecond: 2 })
  const cache = createProofCache(cacheBytes)
  const underWay = new Map<string, Promise<FetchedBlock>>()
  const provable = new Map<number, { chain: ProvableChain; limiter: ConcurrencyLimiter }>(
    terms.chains.map((chain) => [
      chain.chainId,
      { chain, limiter: createConcurrencyLimiter(blocksAtOnce, blocksWaiting, proofsBusy) },
    ]),
  )

  /** Two requests that need the same block at the same time share its fetching. */
  function fetchOnce(
    row: EventRow,
    ask: AskChain,
    limiter: ConcurrencyLimiter,
  ): Promise<FetchedBlock> {
    const key = `${row.chainId}:${row.blockHash}`
    const running = underWay.get(key)
    if (running !== undefined) return running
    const fetching = limiter.pass(() => fetchBlock(ask, row)).finally(() => underWay.delete(key))
    underWay.set(key, fetching)
    return fetching
  }

  async function proveBlockOf(rows: BlockRows): Promise<EventProof[]> {
    const [first] = rows
    const one = provable.get(first.chainId)
    if (one === undefined) {
      throw new ProofFailure('RPC_UNREACHABLE', `No node of chain ${first.chainId} is configured`)
    }
    try {
      const block = await fetchOnce(first, one.chain.ask, one.limiter)
      return await proveEvents(block, rows, one.chain.bridge)
    } catch (cause) {
      throw asFailure(cause, first)
    }
  }

  return {
    async prove(rows, client) {
      const proofs = new Map(rows.map((row) => [row, cache.get(row)]))
      const missing = blocksOf(rows.filter((row) => proofs.get(row) === undefined))
      budget.spend(client, missing.length)
      const making = Promise.all(
        missing.map(async (block) => {
          const made = await proveBlockOf(block)
          for (const [index, row] of block.entries()) {
            proofs.set(row, made[index]!)
            cache.put(row, made[index]!)
          }
        }),
      )
      await beforeDeadline(making, deadlineMs)
      return rows.map((row) => proofs.get(row)!)
    },
  }
}

function blocksOf(rows: readonly EventRow[]): BlockRows[] {
  const blocks = new Map<string, BlockRows>()
  for (const row of rows) {
    const key = `${row.chainId}:${row.blockHash}`
    const known = blocks.get(key)
    if (known === undefined) blocks.set(key, [row])
    else known.push(row)
  }
  return [...blocks.values()]
}

function asFailure(cause: unknown, row: EventRow): unknown {
  if (cause instanceof BlockUnavailableError) {
    return new ProofFailure(cause.code, cause.message, { cause })
  }
  if (!(cause instanceof ProofError)) return cause
  return new ProofFailure(
    'PROOF_NOT_VERIFIED',
    `The node of chain ${row.chainId} gave data for block ${row.blockNumber} that doesn't verify (${cause.code})`,
    { cause },
  )
}

async function beforeDeadline(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ProofFailure('PROOF_BUSY', 'The proof isn’t ready yet: ask again'))
    }, milliseconds)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function proofsBusy(): ProofFailure {
  return new ProofFailure('PROOF_BUSY', 'Too many proofs are being made')
}
