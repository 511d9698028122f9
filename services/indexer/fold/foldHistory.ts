import pg from 'pg'
import { LogLayoutError } from '../../../src/event/decodeBridgeLog.ts'
import { ProjectionError } from '../../../src/projection/projectionError.ts'
import { UnusableAnswerError } from '../../chain/history/historyErrors.ts'
import { hasVerifiableHeaders } from '../../chain/rpcPool/hasVerifiableHeaders.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool, SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import { findLowerMedian } from '../../chain/transactions/medianAndMajority.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { requireSessionSettings } from '../../store/database/sessionSettings.ts'
import { deleteChainIndex } from '../follow/deleteChainIndex.ts'
import { InconsistentRangeError } from '../history/checkRangeConsistency.ts'
import { contractsFilter, suggestedRangeWidth } from '../history/historySource.ts'
import {
  loadPonderInternals,
  type PonderInternals,
  UnknownPonderError,
} from '../ponder/ponderInternals.ts'
import { markStarting, prepareSchema } from '../tables/prepareSchema.ts'
import {
  DiscreditedHistoryError,
  type Fold,
  foldRange,
  MissingLogsError,
  UnconfirmedRanges,
  type Written,
} from './foldRange.ts'
import { countIntents, IntentCountCheck } from './intentCountCheck.ts'
import { createQueryEachProvider } from './queryEachProvider.ts'
import { readResumePoint } from './readResumePoint.ts'
import { revertUnfinalised } from './revertUnfinalised.ts'

export type FoldProgress = {
  chain: string
  /** Blocks missing at the start, and how many of them are done. */
  totalBlocks: number
  doneBlocks: number
  /** Events written so far. */
  events: number
  elapsedMs: number
}

type OwnSchema = { pool: pg.Pool; chain: ChainConfig; build: string; schema: string }

/** The chain's schema must be registered in `app.projection`, and no Ponder may be writing it. */
export type FoldOptions = OwnSchema & {
  databaseUrl: string
  rpc: RpcPool
  /** Events per page, which is one transaction. Blocks are never split. */
  pageSize?: number
  /** Intents to keep in memory; must exceed the intents of a page. */
  cachedIntents?: number
  signal?: AbortSignal
  onProgress?: (progress: FoldProgress) => void
  /** Milliseconds to wait for any provider before leaving the rest to Ponder. Default 60,000. */
  totalTimeoutMs?: number
  /** File URL of Ponder's entry module; default: the installed one. */
  ponderEntry?: string
}

/**
 * How a fold ended. In every case Ponder may start, at `startBlock`.
 * - `folded`: the tables have all events of final blocks.
 * - `left`: Ponder has to do the rest, for this reason. The rows written are right.
 * - `refused`: this Ponder version isn't supported, and nothing was written.
 */
export type FoldResult = Written & { startBlock: number; elapsedMs: number } & (
    | { status: 'folded' }
    | { status: 'left' | 'refused'; reason: string }
  )

/** Events per page. An event with a recovery blob takes a few kilobytes of memory. */
const PAGE_SIZE = 5_000
/** Events per page once readers see the tables: readers of the change log wait for the page's transaction. */
const LIVE_PAGE_SIZE = 500

/**
 * Folds a chain's history into its tables, up to the block that Ponder considers final. It continues where the tables
 * end. To Ponder the result looks like an interrupted run of its own.
 *
 * Each page of events is one transaction that includes Ponder's checkpoint, so the next fold or Ponder itself can resume
 * after `kill -9` at any moment.
 *
 * @throws database errors, and the signal's reason when aborted
 */
export async function foldHistory(options: FoldOptions): Promise<FoldResult> {
  const begun = performance.now()
  const written: Written = { events: 0, ranges: 0, confirmedRanges: 0 }
  const summary = (startBlock: number) => ({
    ...written,
    startBlock,
    elapsedMs: performance.now() - begun,
  })
  const ponder = await loadPonderInternals(options.ponderEntry).catch((error: Error) => {
    if (error instanceof UnknownPonderError) return error
    throw error
  })
  if (ponder instanceof UnknownPonderError) {
    return { status: 'refused', reason: ponder.message, ...summary(options.chain.startBlock) }
  }
  const clients = await connect(options.databaseUrl)
  try {
    while (true) {
      const fold = await beginFold(options, ponder, clients, written)
      const problem = await foldUpToFinality(fold, options).then(
        () => null,
        (error: Error) => error,
      )
      if (problem === null) return { status: 'folded', ...summary(fold.resumePoint.from) }
      options.signal?.throwIfAborted()
      const startBlock = await dropUntrusted(options, fold, problem)
      if (!isHistoryProblem(problem)) throw problem
      // The discredited provider isn't used again, so a retry may succeed.
      if (fold.unconfirmed.discreditedFrom() !== undefined) continue
      return { status: 'left', reason: problem.message, ...summary(startBlock) }
    }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

/** Whether the events or the providers caused the error. Then the fold ends and Ponder does the rest. */
function isHistoryProblem(error: Error): boolean {
  const eventErrors = [LogLayoutError, ProjectionError]
  const providerErrors = [RpcError, UnusableAnswerError, InconsistentRangeError]
  const completenessErrors = [MissingLogsError, DiscreditedHistoryError]
  const kinds = [...eventErrors, ...providerErrors, ...completenessErrors]
  return kinds.some((kind) => error instanceof kind)
}

async function beginFold(
  { chain, schema, rpc, signal, totalTimeoutMs = 60_000, ...options }: FoldOptions,
  ponder: PonderInternals,
  [reader, writer]: [pg.Client, pg.Client],
  written: Written,
): Promise<Fold> {
  const resumePoint = await readResumePoint(writer, { chain, schema, ponder })
  const filter = contractsFilter(chain)
  return {
    schema,
    chain,
    ponder,
    resumePoint,
    reader,
    writer,
    written,
    rows: undefined,
    uncountedFrom: resumePoint.from,
    source: {
      pool: rpc,
      filter,
      signal,
      totalTimeoutMs,
      hasVerifiableHeaders: false,
      suggestedRangeWidth: suggestedRangeWidth(ponder, filter),
    },
    count: new IntentCountCheck({ pool: rpc, bridge: chain.bridge, signal }),
    unconfirmed: new UnconfirmedRanges(),
    pageSize: options.pageSize ?? (resumePoint.isReady ? LIVE_PAGE_SIZE : PAGE_SIZE),
    cachedIntents: options.cachedIntents,
    onPage: () => {},
  }
}

async function foldUpToFinality(fold: Fold, { onProgress }: FoldOptions): Promise<void> {
  const { chain, source, ponder, written } = fold
  const { pool, signal, totalTimeoutMs } = source
  const finality = ponder.finalityBlockCount(chain.chainId)
  const first = fold.resumePoint.from
  const begun = performance.now()
  while (true) {
    const head = await readHeadOfMost(pool, { signal, totalTimeoutMs })
    const { from, checkpoint, hasTables } = fold.resumePoint
    const to = head - finality
    // Ponder fetches the few blocks that became final during the fold, or since its last run.
    if (to < from || (checkpoint !== null && to - from < finality)) return
    source.hasVerifiableHeaders = await hasVerifiableHeaders(pool, to, { signal, totalTimeoutMs })
    if (from === first && hasTables) await resume(fold)
    fold.onPage = () => {
      const doneBlocks = fold.resumePoint.from - first
      onProgress?.({
        chain: chain.name,
        totalBlocks: to - first + 1,
        doneBlocks,
        events: written.events,
        elapsedMs: performance.now() - begun,
      })
    }
    await foldRange(fold, { from, to })
  }
}

async function resume({ writer, schema, chain, ponder, count }: Fold): Promise<void> {
  await revertUnfinalised(writer, { schema, ponder })
  count.startAt(await countIntents(writer, schema, chain.chainId))
}

/**
 * Drops the tables if rows that can't be trusted were written.
 *
 * @returns the first block missing from the tables
 */
async function dropUntrusted(options: FoldOptions, fold: Fold, problem: Error): Promise<number> {
  const { unconfirmed, uncountedFrom, resumePoint } = fold
  const { from, isReady } = resumePoint
  // A ProjectionError is about an intent whose creation is missing, in a block that only a count could locate. It alone
  // is no reason to take an index away from readers.
  const isIncomplete =
    problem instanceof MissingLogsError || (problem instanceof ProjectionError && !isReady)
  const untrustedFrom = Math.min(
    unconfirmed.discreditedFrom() ?? from,
    isIncomplete ? uncountedFrom : from,
  )
  if (untrustedFrom >= from) return from
  await dropChainTables(options, { isReady, trusted: untrustedFrom - 1 })
  return options.chain.startBlock
}

/** Connects a reader and a writer. The writer's name tells the triggers that it reverts rows as Ponder does. */
async function connect(connectionString: string): Promise<[pg.Client, pg.Client]> {
  const clients = ['cairn_fold_reader', 'cairn_fold_internal'].map((application_name) => {
    const client = new pg.Client({
      connectionString,
      application_name,
      connectionTimeoutMillis: 5_000,
    })
    // A lost connection also fails the pending query. Without a listener, the event would end the process.
    client.on('error', () => {})
    return client
  })
  try {
    await Promise.all(clients.map((client) => client.connect()))
    await Promise.all(clients.map(requireSessionSettings))
    return clients as [pg.Client, pg.Client]
  } catch (error) {
    await Promise.allSettled(clients.map((client) => client.end()))
    throw error
  }
}

/**
 * The latest block that most providers have reached; of two, both. Final blocks are counted from it: by one provider's
 * invented head, blocks that may still be replaced would be folded as final, and nothing reverts those.
 *
 * @throws RpcError without an answer
 */
async function readHeadOfMost(
  pool: RpcPool,
  options: Pick<SendOptions, 'signal' | 'totalTimeoutMs'>,
): Promise<number> {
  const answers = await createQueryEachProvider(pool)('eth_blockNumber', [], options)
  const heads = answers.map(Number).filter((head) => Number.isSafeInteger(head))
  if (heads.length === 0) throw new RpcError('refused', 'a node’s block number is not a number')
  return findLowerMedian(heads)
}

/**
 * Drops a chain's tables because their rows can't be trusted from some block on, and rows can't be reverted by range. A
 * chain that readers see is hidden until it is folded again.
 *
 * @param trusted highest block up to which the rows are right
 */
async function dropChainTables(
  own: OwnSchema,
  { isReady, trusted }: { isReady: boolean; trusted: number },
): Promise<void> {
  const { pool, chain, schema } = own
  const { rows } = await pool.query(
    'select resume_block from app.projection where schema_name = $1',
    [schema],
  )
  if (isReady) await deleteChainIndex(pool, { chainId: chain.chainId, fork: trusted })
  else await pool.query(`drop schema "${schema}" cascade`)
  await prepareSchema(own)
  await markStarting(own, rows[0].resume_block)
}
