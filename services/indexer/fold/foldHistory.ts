import pg from 'pg'
import { LogLayoutError } from '../../../src/event/decodeLog.ts'
import { ProjectionError } from '../../../src/projection/projectionError.ts'
import { UnusableAnswerError } from '../../chain/history/historyError.ts'
import { hasVerifiableHeaders } from '../../chain/rpcPool/hasVerifiableHeaders.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { InconsistentRangeError } from '../history/checkRangeConsistency.ts'
import { contractsFilter, suggestedRangeWidth } from '../history/historySource.ts'
import {
  loadPonderInternals,
  type PonderInternals,
  UnknownPonderError,
} from '../ponder/ponderInternals.ts'
import { countIntents, IntentCountCheck } from './checkIntentCount.ts'
import { dropChainTables, type OwnSchema } from './dropChainTables.ts'
import {
  DoubtedHistoryError,
  type Fold,
  foldRange,
  LeftOutError,
  UnconfirmedRanges,
  type Written,
} from './foldRange.ts'
import { resumePoint } from './resumePoint.ts'
import { takeBackUnfinalised } from './takeBackUnfinalised.ts'

/** How far a fold is. */
export type FoldProgress = {
  chain: string
  /** Blocks that were missing when it began, and how many of them are done. */
  totalBlocks: number
  doneBlocks: number
  /** Events written so far. */
  events: number
  /** Milliseconds since it began. */
  elapsedMs: number
}

/** The chain's schema must be registered in `app.projection`, and no Ponder may be writing it. */
export type FoldOptions = OwnSchema & {
  databaseUrl: string
  rpc: RpcPool
  /** Events of a page, which is one transaction; blocks stay whole. */
  pageSize?: number
  /** Intents held in memory; more than a page is about. Default 8,000. */
  intentsHeld?: number
  signal?: AbortSignal
  onProgress?: (progress: FoldProgress) => void
  /** Milliseconds to wait for any provider to answer before leaving the rest to Ponder. Default 60,000. */
  patienceMs?: number
  /** File URL of Ponder's entry module; by default the installed one. */
  ponderEntry?: string
}

/**
 * How a fold ended. Whatever it says, Ponder may start, at `startBlock`.
 * - `folded`: all events of final blocks are in the tables.
 * - `left`: for the reason given, Ponder has to do (the rest of) it; what was written is right.
 * - `refused`: this Ponder isn't known, so nothing was touched.
 */
export type FoldResult = Written & { startBlock: number; elapsedMs: number } & (
    | { status: 'folded' }
    | { status: 'left' | 'refused'; reason: string }
  )

/** Events of a page. An event with a recovery blob takes some kilobytes of memory. */
const PAGE_SIZE = 5_000
/** The same of tables that readers see: what follows a change of another chain waits for the page to end. */
const LIVE_PAGE_SIZE = 500

/**
 * Brings a chain's tables up to the block that Ponder takes for final: logs are fetched, checked, folded and
 * written straight into them, from the start block or from where the tables end. To Ponder it looks as if a run
 * of its own had come to that block.
 *
 * Each page of events is one transaction together with Ponder's checkpoint, so `kill -9` at any moment leaves
 * a state that the next fold, or Ponder itself, goes on from.
 *
 * @throws on database errors, and the signal's reason when it is aborted.
 */
export async function foldHistory(options: FoldOptions): Promise<FoldResult> {
  const begun = performance.now()
  const written: Written = { events: 0, ranges: 0, confirmedRanges: 0 }
  const sum = (startBlock: number) => ({
    ...{ ...written, startBlock, elapsedMs: performance.now() - begun },
  })
  const ponder = await loadPonderInternals(options.ponderEntry).catch((error: Error) => {
    if (error instanceof UnknownPonderError) return error
    throw error
  })
  if (ponder instanceof UnknownPonderError) {
    return { status: 'refused', reason: ponder.message, ...sum(options.chain.startBlock) }
  }
  const clients = await connect(options.databaseUrl)
  try {
    while (true) {
      const fold = await beginFold(options, ponder, clients, written)
      const problem = await foldUpToFinality(fold, options).then(
        () => null,
        (error: Error) => error,
      )
      if (problem === null) return { status: 'folded', ...sum(fold.place.from) }
      options.signal?.throwIfAborted()
      const startBlock = await withoutDoubted(options, fold, problem)
      if (!isOfHistory(problem)) throw problem
      // A discredited provider isn't asked again, so a problem that its answers caused may not recur.
      if (fold.unconfirmed.doubtedFrom() !== undefined) continue
      return { status: 'left', reason: problem.message, ...sum(startBlock) }
    }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

/** Errors of the events themselves, and of those who give them. Ponder, which meets them too, does the rest. */
function isOfHistory(error: Error): boolean {
  const ofEvents = [LogLayoutError, ProjectionError]
  const ofGivers = [RpcError, UnusableAnswerError, InconsistentRangeError]
  const ofAllTogether = [LeftOutError, DoubtedHistoryError]
  const kinds = [...ofEvents, ...ofGivers, ...ofAllTogether]
  return kinds.some((kind) => error instanceof kind)
}

async function beginFold(
  { chain, schema, rpc, signal, patienceMs = 60_000, ...options }: FoldOptions,
  ponder: PonderInternals,
  [reader, writer]: [pg.Client, pg.Client],
  written: Written,
): Promise<Fold> {
  const place = await resumePoint(writer, { chain, schema, ponder })
  const filter = contractsFilter(chain)
  return {
    ...{ schema, chain, ponder, place, reader, writer, written, rows: undefined },
    uncountedFrom: place.from,
    source: {
      ...{ pool: rpc, filter, signal, patienceMs, provesHeaders: false },
      suggestedRangeWidth: suggestedRangeWidth(ponder, filter),
    },
    count: new IntentCountCheck({ pool: rpc, bridge: chain.bridge, signal }),
    unconfirmed: new UnconfirmedRanges(),
    pageSize: options.pageSize ?? (place.isReady ? LIVE_PAGE_SIZE : PAGE_SIZE),
    intentsHeld: options.intentsHeld,
    onPage: () => {},
  }
}

async function foldUpToFinality(fold: Fold, { onProgress }: FoldOptions): Promise<void> {
  const { chain, source, ponder, written } = fold
  const { pool, signal, patienceMs } = source
  const finality = ponder.finalityBlockCount(chain.chainId)
  const first = fold.place.from
  const begun = performance.now()
  while (true) {
    const head = Number(await pool.request('eth_blockNumber', [], { signal, patienceMs }))
    const { from } = fold.place
    const to = head - finality
    // While we folded, or since Ponder ended, the chain went on. What little is new, Ponder fetches as it starts.
    if (to < from || (fold.place.checkpoint !== null && to - from < finality)) return
    source.provesHeaders = await hasVerifiableHeaders(pool, to, { signal, patienceMs })
    if (from === first && fold.place.hasTables) await resume(fold)
    fold.onPage = () =>
      onProgress?.({
        ...{ chain: chain.name, totalBlocks: to - first + 1, doneBlocks: fold.place.from - first },
        ...{ events: written.events, elapsedMs: performance.now() - begun },
      })
    await foldRange(fold, { from, to })
  }
}

async function resume({ writer, schema, chain, ponder, count }: Fold): Promise<void> {
  await takeBackUnfinalised(writer, { schema, ponder })
  count.goOnFrom(await countIntents(writer, schema, chain.chainId))
}

/**
 * Drops the tables if anything that is doubted was written.
 *
 * @returns the block behind what the tables hold
 */
async function withoutDoubted(options: FoldOptions, fold: Fold, problem: Error): Promise<number> {
  const { unconfirmed, uncountedFrom, place } = fold
  // An event of an intent that was never created: where its creation is missing, only a count could tell. From
  // readers, who may have had an index for long, nothing is taken for that.
  const isEarly = problem instanceof ProjectionError && !place.isReady
  const isLeftOut = problem instanceof LeftOutError || isEarly
  const doubted = [unconfirmed.doubtedFrom() ?? place.from, isLeftOut ? uncountedFrom : place.from]
  const undoubted = Math.min(...doubted) - 1
  if (undoubted + 1 >= place.from) return place.from
  await dropChainTables(options, { isReady: place.isReady, undoubted })
  return options.chain.startBlock
}

/** One to read with, one to write with. Ponder's rows are taken back under the name by which that is known. */
async function connect(connectionString: string): Promise<[pg.Client, pg.Client]> {
  const clients = ['cairn_fold_reader', 'cairn_fold_internal'].map((application_name) => {
    const client = new pg.Client({ connectionString, application_name })
    // A lost connection also fails the query that is under way; without a listener it would end the process.
    client.on('error', () => {})
    return client
  })
  await Promise.all(clients.map((client) => client.connect()))
  return clients as [pg.Client, pg.Client]
}
