import { setImmediate as turn } from 'node:timers/promises'
import type pg from 'pg'
import { TABLE_NAMES } from '../../../src/table/tableShapes.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { CheckedRange } from '../history/fetchCheckedRange.ts'
import { fetchHistory } from '../history/fetchHistory.ts'
import type { HistorySource } from '../history/historySource.ts'
import { commitPage, type PageCommit } from './commitPage.ts'
import type { IntentCountCheck } from './intentCountCheck.ts'
import type { ResumePoint } from './readResumePoint.ts'
import { readIntents, readLatest, readTable } from './readRows.ts'
import { type EventPage, splitIntoPages } from './splitIntoPages.ts'
import { WorkingRows } from './workingRows.ts'

/** Events to fold until the database and the providers get a turn: neither may wait for a whole page. */
const EVENTS_AT_A_TIME = 250

/** The bridge counts more creations than the providers' logs contain. */
export class MissingLogsError extends Error {
  override readonly name = 'MissingLogsError'
}

/** Part of the history comes only from a provider that was proven wrong later. */
export class DiscreditedHistoryError extends Error {
  override readonly name = 'DiscreditedHistoryError'
}

/** The resources and state of a running fold. */
export type Fold = Pick<PageCommit, 'schema' | 'chain' | 'ponder'> & {
  /** After the last written page. */
  resumePoint: ResumePoint
  /** First block whose creations weren't compared with the bridge's count. */
  uncountedFrom: number
  reader: pg.Client
  writer: pg.Client
  source: HistorySource
  count: IntentCountCheck
  unconfirmed: UnconfirmedRanges
  pageSize: number
  cachedIntents: number | undefined
  rows: WorkingRows | undefined
  written: Written
  onPage: () => void
}

export type Written = {
  events: number
  /** Fetched ranges, and how many of them a second provider confirmed log by log. */
  ranges: number
  confirmedRanges: number
}

/**
 * Fetches, checks, folds and writes a range of final blocks, page by page. While a page is folded, the previous one is
 * written and the next ones are fetched and counted.
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
      next = inBackground(pages.next())
      for (const [at, event] of page.events.entries()) {
        rows?.fold(event)
        if (at % EVENTS_AT_A_TIME === 0) await turn()
      }
      await writing
      unconfirmed.requireTrusted()
      writing = inBackground(writePage(fold, page))
    }
    await writing
    unconfirmed.requireTrusted()
  } finally {
    inBackground(pages.return(undefined))
    await writing
  }
}

/** `isCounted`: whether the creations up to the page's end match the bridge's count. */
type CountedPage = EventPage & { isCounted: boolean }

async function* historyPages(
  fold: Fold,
  range: BlockRange,
): AsyncGenerator<CountedPage, undefined> {
  const { chain, source, pageSize, unconfirmed, written, ponder, resumePoint } = fold
  const { checkpoint } = resumePoint
  const notBefore =
    checkpoint === null ? 0 : Number(ponder.decodeCheckpoint(checkpoint).blockTimestamp)
  for await (const part of fetchHistory(source, range, notBefore)) {
    unconfirmed.add(part)
    written.ranges += 1
    if (part.isConfirmed) written.confirmedRanges += 1
    for (const page of splitIntoPages(chain, part, pageSize)) {
      const isCounted = await checkCount(fold, page, page.blockNumber === range.to)
      yield { ...page, isCounted }
    }
  }
}

/** @returns false if the bridge's count at the page's end is unknown */
async function checkCount(
  { count, uncountedFrom }: Fold,
  page: EventPage,
  isLast: boolean,
): Promise<boolean> {
  const missing = await count.countMissing(page, isLast)
  if (missing === null || missing <= 0n) return missing !== null
  throw new MissingLogsError(
    `the logs of blocks ${uncountedFrom} to ${page.blockNumber} lack ${missing} intent creations that the bridge counts: add another provider`,
  )
}

function writePage(fold: Fold, page: CountedPage): Promise<void> {
  const { chain, ponder, resumePoint, rows, writer, written } = fold
  rows?.endPage()
  const to = ponder.endOfBlock({ chainId: chain.chainId, ...page })
  const changes = rows?.drainWritten() ?? new Map()
  return commitPage(writer, { ...fold, from: resumePoint, to }, changes).then(() => {
    const from = page.blockNumber + 1
    fold.resumePoint = { ...resumePoint, from, checkpoint: to, hasTables: true }
    if (page.isCounted) fold.uncountedFrom = from
    written.events += page.events.length
    fold.onPage()
  })
}

/** The caller awaits the result later; until then an error must not count as unhandled. */
function inBackground<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {})
  return work
}

/** The rows that the fold of a page needs; undefined before the first event. */
async function rowsFor(fold: Fold, { events }: EventPage): Promise<WorkingRows | undefined> {
  if (events.length === 0) return fold.rows
  fold.rows ??= await loadRows(fold)
  const missing = fold.rows.missingIntents(events)
  if (missing.length > 0) {
    for (const row of await readIntents(fold.reader, fold.schema, missing))
      fold.rows.load('intent', row)
  }
  return fold.rows
}

async function loadRows(fold: Fold): Promise<WorkingRows> {
  const { reader, schema, cachedIntents, resumePoint } = fold
  const rows = new WorkingRows({ isEmpty: !resumePoint.hasTables, limit: cachedIntents })
  if (!resumePoint.hasTables) return rows
  for (const table of TABLE_NAMES) {
    const scope = rows.scopeOf(table)
    if (scope === 'none') continue
    const reading =
      scope === 'all' ? readTable(reader, schema, table) : readLatest(reader, schema, table, scope)
    for (const row of await reading) rows.load(table, row)
  }
  return rows
}

/** Ranges that no second provider confirmed. Their provider may be proven wrong later. */
export class UnconfirmedRanges {
  /** First block of each provider's first unconfirmed range. */
  readonly #firstOf = new Map<Provider, number>()

  add({ from, soleProviders }: CheckedRange): void {
    for (const provider of soleProviders)
      if (!this.#firstOf.has(provider)) this.#firstOf.set(provider, from)
  }

  requireTrusted(): void {
    if (this.discreditedFrom() !== undefined) throw new DiscreditedHistoryError()
  }

  /** First block of the history that rests on a discredited provider; undefined if there is none. */
  discreditedFrom(): number | undefined {
    const firsts = [...this.#firstOf].flatMap(([provider, from]) =>
      provider.quarantine?.ground === 'logs' ? [from] : [],
    )
    return firsts.length === 0 ? undefined : Math.min(...firsts)
  }
}
