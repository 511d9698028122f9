import pg from 'pg'
import { LogLayoutError } from '../../../src/event/decodeLog.ts'
import { ProjectionError } from '../../../src/projection/projectionError.ts'
import { TABLE_NAMES } from '../../../src/projection/tables.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { PonderInternals } from '../prefill/ponderInternals.ts'
import { CacheHoleError, cachedEvents, type EventPage } from './cachedEvents.ts'
import { commitPage } from './commitPage.ts'
import { readIntents, readLatest, readTable } from './readRows.ts'
import { type ResumePoint, resumePoint } from './resumePoint.ts'
import { WorkingRows } from './workingRows.ts'

export type FoldOptions = {
  chain: ChainConfig
  databaseUrl: string
  /** The chain's schema. It must be registered in `app.projection`, and no Ponder may be writing it. */
  schema: string
  ponder: PonderInternals
  /** Last block up to which Ponder's cache has everything. It must be final. */
  toBlock: number
  /** Events of a page, which is one transaction; blocks stay whole. Default 5,000. */
  pageSize?: number
  /** Intents held in memory; more than a page is about. Default 100,000. */
  intentsHeld?: number
  signal?: AbortSignal
  onProgress?: (progress: { blockNumber: number; events: number }) => void
}

/**
 * How a fold ended. Whatever it says, Ponder may start: it goes on behind the last page that was written.
 * - `folded`: all events up to `toBlock` are in the tables.
 * - `left`: for the reason given, Ponder has to do (the rest of) it.
 */
export type FoldResult =
  | { status: 'folded'; events: number; elapsedMs: number }
  | { status: 'left'; reason: string; events: number; elapsedMs: number }

/**
 * Folds the final history of a chain from Ponder's cache into the chain's tables, with the same reducer and
 * in a small part of the time that Ponder needs, which asks for and writes each row by itself. To Ponder it
 * looks as if a first run of its own was interrupted at a block: it goes on there.
 *
 * Each page of events is one transaction together with Ponder's checkpoint, so `kill -9` at any moment leaves
 * a state that the next fold, or Ponder itself, goes on from. Does nothing to a schema that was ready before.
 *
 * @throws on database errors, and the signal's reason when it is aborted.
 */
export async function foldHistory(options: FoldOptions): Promise<FoldResult> {
  const begun = performance.now()
  const count = { events: 0 }
  const [reader, writer] = await connect(options.databaseUrl)
  try {
    const start = await resumePoint(reader, options)
    if ('reason' in start) return { status: 'left', reason: start.reason, ...count, elapsedMs: 0 }
    await fold(options, start, { reader, writer }, count)
    return { status: 'folded', ...count, elapsedMs: performance.now() - begun }
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!isOfHistory(error)) throw error
    return { status: 'left', reason: error.message, ...count, elapsedMs: performance.now() - begun }
  } finally {
    await Promise.all([reader.end(), writer.end()])
  }
}

/** Errors of the events themselves: Ponder, which meets them too, says what there is to say. */
function isOfHistory(error: unknown): error is Error {
  const kinds = [CacheHoleError, LogLayoutError, ProjectionError]
  return kinds.some((kind) => error instanceof kind)
}

async function fold(
  options: FoldOptions,
  start: ResumePoint,
  { reader, writer }: { reader: pg.Client; writer: pg.Client },
  count: { events: number },
): Promise<void> {
  const { chain, schema, ponder, toBlock, signal, onProgress } = options
  const rows = await heldRows(reader, options, start)
  const range = { from: start.from, to: toBlock }
  const pages = cachedEvents(reader, chain, range, options.pageSize)
  let checkpoint = start.checkpoint
  let writing: Promise<void> = Promise.resolve()
  try {
    for (let next = pages.next(); ; ) {
      const { value: page, done } = await next
      if (done) break
      signal?.throwIfAborted()
      for (const row of await missingIntents(reader, schema, rows, page)) rows.hold('intent', row)
      next = ahead(pages.next())
      for (const event of page.events) rows.fold(event)
      await writing
      rows.forget()
      const written = rows.takeWritten()
      const place = { chainId: chain.chainId, ...page }
      const commit = { schema, chain, ponder, from: checkpoint, to: ponder.endOfBlock(place) }
      checkpoint = commit.to
      writing = ahead(
        commitPage(writer, commit, written).then(() => {
          count.events += page.events.length
          onProgress?.({ blockNumber: page.blockNumber, events: count.events })
        }),
      )
    }
  } finally {
    await writing
  }
}

/** A failure is thrown where its turn comes; until then it must not count as unhandled. */
function ahead<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {})
  return work
}

async function heldRows(
  client: pg.Client,
  { schema, intentsHeld }: FoldOptions,
  { checkpoint }: ResumePoint,
): Promise<WorkingRows> {
  const isEmpty = checkpoint === null
  const rows = new WorkingRows({ isEmpty, limit: intentsHeld })
  if (isEmpty) return rows
  for (const table of TABLE_NAMES) {
    const held = rows.held(table)
    if (held === 'none') continue
    const there =
      held === 'all' ? readTable(client, schema, table) : readLatest(client, schema, table, held)
    for (const row of await there) rows.hold(table, row)
  }
  return rows
}

async function missingIntents(
  client: pg.Client,
  schema: string,
  rows: WorkingRows,
  { events }: EventPage,
) {
  const missing = rows.missingIntents(events)
  return missing.length === 0 ? [] : readIntents(client, schema, missing)
}

async function connect(connectionString: string): Promise<[pg.Client, pg.Client]> {
  const clients = ['cairn_fold_reader', 'cairn_fold'].map((application_name) => {
    const client = new pg.Client({ connectionString, application_name })
    // A lost connection also fails the query that is under way; without a listener it would end the process.
    client.on('error', () => {})
    return client
  })
  await Promise.all(clients.map((client) => client.connect()))
  return clients as [pg.Client, pg.Client]
}
