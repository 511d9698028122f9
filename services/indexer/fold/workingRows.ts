import type { ChainEvent, ChainEventType } from '../../../src/event/chainEvent.ts'
import { project } from '../../../src/projection/project.ts'
import { keyText } from '../../../src/projection/rowKeys.ts'
import type { AnyKey, AnyRow, Key, TableName } from '../../../src/projection/rowTypes.ts'

/** The last state of each row that a part of the history wrote, with new rows separate from existing ones. */
export type WrittenRows = Map<TableName, { inserted: AnyRow[]; replaced: AnyRow[] }>

/** Tables that only grow. No event reads their rows, except a delivery within its own block, so they aren't kept. */
const APPEND_ONLY: ReadonlySet<TableName> = new Set([
  'event',
  'bid',
  'delivery',
  'forfeit',
  'tranche',
])

type Period = 'day' | 'hour'

/** Statistics by hour or day. Block times never decrease, so only the latest period still changes. */
const PERIODS: ReadonlyMap<TableName, Period> = new Map([
  ['pairDay', 'day'],
  ['pairHour', 'hour'],
  ['solverDay', 'day'],
  ['senderDay', 'day'],
  ['pairSenderDay', 'day'],
])

/** Events about an intent of another chain, or about one created in the same transaction. */
const WITHOUT_KNOWN_INTENT: ReadonlySet<ChainEventType> = new Set(['IntentSolved', 'TrancheFired'])

/** Cached intents, about 4 kB each. The least recently used are evicted, and read again when needed. */
const CACHED_INTENTS = 2_500

type CachedRow = {
  row: AnyRow
  /** What the database lacks: the whole row, or its last change. */
  unwritten: 'all' | 'change' | null
  /** Number of the page that last read or wrote it. */
  page: number
}

/**
 * Caches the rows that the fold of a long history needs: the small tables, the latest hour and day of statistics, and
 * recently used intents. The reducer reads rows synchronously, so `missingIntents` lists what to load before a page.
 */
export class WorkingRows {
  readonly #cache = new Map<TableName, Map<string, CachedRow>>()
  readonly #limit: number
  /** Whether all existing intents are cached. */
  #hasAllIntents: boolean
  #appended = new Map<TableName, AnyRow[]>()
  /** Rows with an unwritten change, each once. */
  #unwritten = new Map<TableName, CachedRow[]>()
  /** Latest hour or day of a table's rows. */
  readonly #latest = new Map<TableName, number>()
  #page = 0
  /** Rows read by the current event. Any row that it replaces is one of them. */
  #read: CachedRow[] = []

  /** @param isEmpty whether the tables have no rows yet */
  constructor({
    isEmpty,
    limit = CACHED_INTENTS,
  }: {
    isEmpty: boolean
    limit?: number | undefined
  }) {
    this.#hasAllIntents = isEmpty
    this.#limit = limit
  }

  /** Which rows of a table to load at the start: all, those of the latest hour or day, or none. */
  scopeOf(table: TableName): 'all' | Period | 'none' {
    if (table === 'intent' || APPEND_ONLY.has(table)) return 'none'
    return PERIODS.get(table) ?? 'all'
  }

  /** Caches a row from the database. */
  load(table: TableName, row: AnyRow): void {
    this.#add(table, { row, unwritten: null, page: this.#page })
  }

  /** Keys of intents to load before these events are folded. */
  missingIntents(events: readonly ChainEvent[]): Key<'intent'>[] {
    if (this.#hasAllIntents) return []
    const cached = this.#rowsOf('intent')
    const seen = new Set<bigint>()
    const missing: Key<'intent'>[] = []
    for (const { type, args, point } of events) {
      if (!('intentId' in args) || WITHOUT_KNOWN_INTENT.has(type) || seen.has(args.intentId))
        continue
      seen.add(args.intentId)
      const key = { sourceChainId: point.chainId, intentId: args.intentId }
      const isKnown = type === 'IntentCreated' || cached.has(keyText('intent', key as never))
      if (!isKnown) missing.push(key)
    }
    return missing
  }

  /** Folds one event. Events must come in chain order. */
  fold(event: ChainEvent): void {
    this.#read = []
    for (const { table, before, row } of project(event, this.#find)) {
      if (APPEND_ONLY.has(table)) this.#append(table, before, row)
      else if (before === null) this.#insert(table, row)
      else this.#replace(table, before, row)
    }
  }

  /** The changes since the last call. The returned rows are immutable. */
  drainWritten(): WrittenRows {
    const written: WrittenRows = new Map()
    for (const [table, inserted] of this.#appended) written.set(table, { inserted, replaced: [] })
    for (const [table, rows] of this.#unwritten) {
      const inserted: AnyRow[] = []
      const replaced: AnyRow[] = []
      for (const cached of rows) {
        if (cached.unwritten === 'all') inserted.push(cached.row)
        else replaced.push(cached.row)
        cached.unwritten = null
      }
      written.set(table, { inserted, replaced })
    }
    this.#appended = new Map()
    this.#unwritten = new Map()
    return written
  }

  /**
   * Ends a page and evicts old intents and past periods. The page's own intents stay until the next call, because they
   * aren't in the database yet. Everything drained before this page must have been written.
   */
  endPage(): void {
    const page = this.#page++
    for (const [table, period] of PERIODS) this.#evictPastPeriods(table, period)
    const intents = this.#rowsOf('intent')
    let excess = intents.size - this.#limit
    if (excess <= 0) return
    this.#hasAllIntents = false
    for (const [text, cached] of intents) {
      if (cached.page === page) continue
      intents.delete(text)
      if (--excess === 0) break
    }
  }

  /** The rows of past hours or days come first, because times never decrease. */
  #evictPastPeriods(table: TableName, period: Period): void {
    const rows = this.#rowsOf(table)
    const latest = this.#latest.get(table)
    for (const [key, { row }] of rows) {
      if (periodOf(row, period) === latest) return
      rows.delete(key)
    }
  }

  readonly #find = (table: TableName, key: AnyKey): AnyRow | null => {
    if (table === 'delivery') return this.#findAppended(table, keyText(table, key))
    if (APPEND_ONLY.has(table)) throw new Error(`rows of ${table} aren't cached`)
    const cached = this.#cache.get(table)?.get(keyText(table, key))
    if (cached === undefined) return null
    cached.page = this.#page
    this.#read.push(cached)
    return cached.row
  }

  /** A row appended since the last `drainWritten`, nearly always at the end. */
  #findAppended(table: TableName, key: string): AnyRow | null {
    return this.#appended.get(table)?.findLast((row) => textOf(table, row) === key) ?? null
  }

  #append(table: TableName, before: AnyRow | null, row: AnyRow): void {
    const rows = this.#appended.get(table)
    if (before !== null) (rows as AnyRow[])[(rows as AnyRow[]).lastIndexOf(before)] = row
    else if (rows) rows.push(row)
    else this.#appended.set(table, [row])
  }

  #insert(table: TableName, row: AnyRow): void {
    const cached: CachedRow = { row, unwritten: 'all', page: this.#page }
    this.#add(table, cached)
    this.#markUnwritten(table, cached)
  }

  #add(table: TableName, cached: CachedRow): void {
    const { row } = cached
    this.#rowsOf(table).set(textOf(table, row), cached)
    const period = PERIODS.get(table)
    if (period !== undefined) this.#latest.set(table, periodOf(row, period))
  }

  #replace(table: TableName, before: AnyRow, row: AnyRow): void {
    const cached = this.#read.find((candidate) => candidate.row === before)
    if (cached === undefined)
      throw new Error(`an event replaced a row of ${table} without reading it`)
    cached.row = row
    if (cached.unwritten !== null) return
    cached.unwritten = 'change'
    this.#markUnwritten(table, cached)
  }

  #markUnwritten(table: TableName, cached: CachedRow): void {
    const rows = this.#unwritten.get(table)
    if (rows) rows.push(cached)
    else this.#unwritten.set(table, [cached])
  }

  #rowsOf(table: TableName): Map<string, CachedRow> {
    const known = this.#cache.get(table)
    if (known) return known
    const rows = new Map<string, CachedRow>()
    this.#cache.set(table, rows)
    return rows
  }
}

function periodOf(row: AnyRow, period: Period): number {
  return (row as unknown as Record<Period, number>)[period]
}

function textOf(table: TableName, row: AnyRow): string {
  return keyText(table, row as unknown as AnyKey)
}
