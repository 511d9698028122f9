import type pg from 'pg'
import { TABLE_NAMES } from '../../../src/projection/tables.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { CheckedRange } from '../history/fetchCheckedRange.ts'
import { fetchHistory } from '../history/fetchHistory.ts'
import type { HistorySource } from '../history/historySource.ts'
import type { IntentCountCheck } from './checkIntentCount.ts'
import { commitPage, type PageCommit } from './commitPage.ts'
import { readIntents, readLatest, readTable } from './readRows.ts'
import type { ResumePoint } from './resumePoint.ts'
import { type EventPage, splitIntoPages } from './splitIntoPages.ts'
import { WorkingRows } from './workingRows.ts'

/** Logs are missing that nobody gave. */
export class LeftOutError extends Error {
  override readonly name = 'LeftOutError'
}

/** Part of the history rests only on a provider that was proven wrong since. */
export class DoubtedHistoryError extends Error {
  override readonly name = 'DoubtedHistoryError'
}

/** A fold under way: what it works with, and how far it is. */
export type Fold = Pick<PageCommit, 'schema' | 'chain' | 'ponder'> & {
  /** Behind the last page that was written. */
  place: ResumePoint
  /** The block from which on nobody has counted the creations. */
  uncountedFrom: number
  reader: pg.Client
  writer: pg.Client
  source: HistorySource
  count: IntentCountCheck
  unconfirmed: UnconfirmedRanges
  pageSize: number
  intentsHeld: number | undefined
  rows: WorkingRows | undefined
  written: Written
  onPage: () => void
}

/** What a fold has written so far. */
export type Written = {
  events: number
  /** Ranges that were fetched, and how many of them a second provider confirmed log by log. */
  ranges: number
  confirmedRanges: number
}

/**
 * Fetches, checks, folds and writes a range of final blocks, page by page. A page is folded while the one before
 * it is written and those behind it are fetched and counted.
 */
export async function foldRange(fold: Fold, range: BlockRange): Promise<void> {
  const { source, unconfirmed } = fold
  const pages = historyPages(fold, range)
  let writing: Promise<void> = Promise.resolve()
  try {
    for (let next = pages.next(); ; ) {
      const { value: page, done } = await next
      if (done) break
      source.signal?.throwIfAborted()
      const rows = await rowsFor(fold, page)
      next = ahead(pages.next())
      for (const event of page.events) rows?.fold(event)
      await writing
      if (unconfirmed.doubtedFrom() !== undefined) throw new DoubtedHistoryError()
      writing = ahead(writePage(fold, page))
    }
    await writing
    if (unconfirmed.doubtedFrom() !== undefined) throw new DoubtedHistoryError()
  } finally {
    ahead(pages.return(undefined))
    await writing
  }
}

/** `isCounted`: whether the creations were counted up to the page's end. */
type CountedPage = EventPage & { isCounted: boolean }

async function* historyPages(
  fold: Fold,
  range: BlockRange,
): AsyncGenerator<CountedPage, undefined> {
  const { chain, source, pageSize, unconfirmed, written, ponder, place } = fold
  const below =
    place.checkpoint === null ? 0 : Number(ponder.decodeCheckpoint(place.checkpoint).blockTimestamp)
  for await (const part of fetchHistory(source, range, below)) {
    unconfirmed.note(part)
    written.ranges += 1
    if (part.isConfirmed) written.confirmedRanges += 1
    for (const page of splitIntoPages(chain, part, pageSize)) {
      const isCounted = await expectCreations(fold, page, page.blockNumber === range.to)
      yield { ...page, isCounted }
    }
  }
}

/** @returns whether the creations were counted up to the page's end */
async function expectCreations(
  { count, uncountedFrom }: Fold,
  page: EventPage,
  isLast: boolean,
): Promise<boolean> {
  const missing = await count.missing(page, isLast)
  if (missing === null || missing <= 0n) return missing !== null
  throw new LeftOutError(
    `the logs of blocks ${uncountedFrom} to ${page.blockNumber} lack the creation of ${missing} intents that the bridge counts: add another provider`,
  )
}

function writePage(fold: Fold, page: CountedPage): Promise<void> {
  const { chain, ponder, place, rows, writer, written } = fold
  rows?.forget()
  const to = ponder.endOfBlock({ chainId: chain.chainId, ...page })
  const commit = commitPage(writer, { ...fold, from: place, to }, rows?.takeWritten() ?? new Map())
  return commit.then(() => {
    fold.place = { ...place, from: page.blockNumber + 1, checkpoint: to, hasTables: true }
    if (page.isCounted) fold.uncountedFrom = fold.place.from
    written.events += page.events.length
    fold.onPage()
  })
}

/** A failure is thrown where its turn comes; until then it must not count as unhandled. */
function ahead<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {})
  return work
}

/** The rows that the fold of a page reads. Where there were none of its intents before, nothing is read. */
async function rowsFor(fold: Fold, { events }: EventPage): Promise<WorkingRows | undefined> {
  if (events.length === 0) return fold.rows
  fold.rows ??= await heldRows(fold)
  const missing = fold.rows.missingIntents(events)
  if (missing.length > 0) {
    for (const row of await readIntents(fold.reader, fold.schema, missing))
      fold.rows.hold('intent', row)
  }
  return fold.rows
}

async function heldRows({ reader, schema, intentsHeld, place }: Fold): Promise<WorkingRows> {
  const rows = new WorkingRows({ isEmpty: !place.hasTables, limit: intentsHeld })
  if (!place.hasTables) return rows
  for (const table of TABLE_NAMES) {
    const held = rows.held(table)
    if (held === 'none') continue
    const there =
      held === 'all' ? readTable(reader, schema, table) : readLatest(reader, schema, table, held)
    for (const row of await there) rows.hold(table, row)
  }
  return rows
}

/**
 * Ranges that only one provider gave, since the second one was unreachable at the time. A provider may be
 * proven wrong later.
 */
export class UnconfirmedRanges {
  /** The first range of each. */
  readonly #firstOf = new Map<Provider, number>()

  note({ from, soleGivers }: CheckedRange): void {
    for (const provider of soleGivers)
      if (!this.#firstOf.has(provider)) this.#firstOf.set(provider, from)
  }

  /** The block from which on the history is doubted; undefined while it is not. */
  doubtedFrom(): number | undefined {
    const firsts = [...this.#firstOf].flatMap(([provider, from]) =>
      provider.quarantine?.ground === 'logs' ? [from] : [],
    )
    return firsts.length === 0 ? undefined : Math.min(...firsts)
  }
}
