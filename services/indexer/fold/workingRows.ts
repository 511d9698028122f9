import type { ChainEvent, ChainEventType } from '../../../src/event/chainEvent.ts'
import { keyText } from '../../../src/projection/keyOf.ts'
import { project } from '../../../src/projection/project.ts'
import type { AnyKey, AnyRow, Key, TableName } from '../../../src/projection/rows.ts'

/** What a stretch of history wrote: the last state of each row, new rows apart from those there before. */
export type WrittenRows = Map<TableName, { inserted: AnyRow[]; replaced: AnyRow[] }>

/**
 * Tables to which rows are only ever added: they go to the database and are forgotten. No event reads one,
 * but for a delivery whose own block says more of it.
 */
const appended: ReadonlySet<TableName> = new Set(['event', 'bid', 'delivery', 'forfeit', 'tranche'])

/** Tables of hours and days: a chain's blocks come in the order of their times, so only the latest is written again. */
const PERIODS: ReadonlyMap<TableName, 'day' | 'hour'> = new Map([
  ['pairDay', 'day'],
  ['pairHour', 'hour'],
  ['solverDay', 'day'],
  ['senderDay', 'day'],
  ['pairSenderDay', 'day'],
])

/** Events that name an intent of another chain, or one that is new with the same transaction. */
const NOT_OF_KNOWN_INTENT: ReadonlySet<ChainEventType> = new Set(['IntentSolved', 'TrancheFired'])

/** Intents held in memory, about 4 kB each; those unused for longest are read again when needed. */
const intentsHeld = 2_500

type Held = {
  row: AnyRow
  /** What the database doesn't have of it yet: all, or its last state. */
  unwritten: 'all' | 'change' | null
  /** The page that last read or wrote it, by number. */
  page: number
}

/**
 * The rows that the fold of a long history still needs: all of the small tables, the latest hour and day of statistics,
 * and the intents that events were about lately. The reducer asks for rows one by one; `missingIntents` names those to
 * fetch before a page of events is folded.
 */
export class WorkingRows {
  readonly #held = new Map<TableName, Map<string, Held>>()
  readonly #limit: number
  /** Whether every intent that there is is held. */
  #complete: boolean
  #appended = new Map<TableName, AnyRow[]>()
  /** Rows with something unwritten, once each. */
  #unwritten = new Map<TableName, Held[]>()
  /** Pages that were forgotten. */
  #page = 0
  /** What the event under way has read: what it replaces is among them. */
  #read: Held[] = []

  /** @param isEmpty whether the tables have no rows yet */
  constructor({
    isEmpty,
    limit = intentsHeld,
  }: {
    isEmpty: boolean
    limit?: number | undefined
  }) {
    this.#complete = isEmpty
    this.#limit = limit
  }

  /** Which rows of a table have to be held: all, those of its latest hour or day, or none. */
  held(table: TableName): 'all' | 'day' | 'hour' | 'none' {
    if (table === 'intent' || appended.has(table)) return 'none'
    return PERIODS.get(table) ?? 'all'
  }

  /** Takes a row that the database has. */
  hold(table: TableName, row: AnyRow): void {
    this.#rowsOf(table).set(textOf(table, row), { row, unwritten: null, page: this.#page })
  }

  /** Keys of the intents that these events are about and that must be held before they are folded. */
  missingIntents(events: readonly ChainEvent[]): Key<'intent'>[] {
    if (this.#complete) return []
    const held = this.#rowsOf('intent')
    const seen = new Set<bigint>()
    const missing: Key<'intent'>[] = []
    for (const { type, args, point } of events) {
      if (!('intentId' in args) || NOT_OF_KNOWN_INTENT.has(type) || seen.has(args.intentId))
        continue
      seen.add(args.intentId)
      const key = { sourceChainId: point.chainId, intentId: args.intentId }
      const isKnown = type === 'IntentCreated' || held.has(keyText('intent', key as never))
      if (!isKnown) missing.push(key)
    }
    return missing
  }

  /** Folds one event. Each chain's events must come in the chain's order. */
  fold(event: ChainEvent): void {
    this.#read = []
    for (const { table, before, row } of project(event, this.#find)) {
      if (appended.has(table)) this.#append(table, before, row)
      else if (before === null) this.#insert(table, row)
      else this.#replace(table, before, row)
    }
  }

  /** What was written since the last call. The rows are never changed afterwards. */
  takeWritten(): WrittenRows {
    const written: WrittenRows = new Map()
    for (const [table, inserted] of this.#appended) written.set(table, { inserted, replaced: [] })
    for (const [table, rows] of this.#unwritten) {
      const inserted: AnyRow[] = []
      const replaced: AnyRow[] = []
      for (const held of rows) {
        if (held.unwritten === 'all') inserted.push(held.row)
        else replaced.push(held.row)
        held.unwritten = null
      }
      written.set(table, { inserted, replaced })
    }
    this.#appended = new Map()
    this.#unwritten = new Map()
    return written
  }

  /**
   * Ends a page. Lets go of the oldest intents, and of hours and days that are over. What the page itself was about is
   * held until the next call, for it isn't in the database yet; all that was taken before it must be.
   */
  forget(): void {
    const page = this.#page++
    for (const [table, period] of PERIODS) this.#forgetEarlier(table, period)
    const intents = this.#rowsOf('intent')
    let excess = intents.size - this.#limit
    if (excess <= 0) return
    this.#complete = false
    for (const [text, held] of intents) {
      if (held.page === page) continue
      intents.delete(text)
      if (--excess === 0) break
    }
  }

  #forgetEarlier(table: TableName, period: 'day' | 'hour'): void {
    const rows = this.#rowsOf(table)
    const at = ({ row }: Held) => (row as unknown as Record<typeof period, number>)[period]
    let latest = 0
    for (const held of rows.values()) latest = Math.max(latest, at(held))
    for (const [key, held] of rows) if (at(held) < latest) rows.delete(key)
  }

  readonly #find = (table: TableName, key: AnyKey): AnyRow | null => {
    if (table === 'delivery') return this.#appendedLately(table, keyText(table, key))
    if (appended.has(table)) throw new Error(`the fold of a history holds no rows of ${table}`)
    const held = this.#held.get(table)?.get(keyText(table, key))
    if (held === undefined) return null
    held.page = this.#page
    this.#read.push(held)
    return held.row
  }

  /** A row that was added since the last `takeWritten`, nearly always at the end. */
  #appendedLately(table: TableName, key: string): AnyRow | null {
    return this.#appended.get(table)?.findLast((row) => textOf(table, row) === key) ?? null
  }

  #append(table: TableName, before: AnyRow | null, row: AnyRow): void {
    const rows = this.#appended.get(table)
    if (before !== null) (rows as AnyRow[])[(rows as AnyRow[]).lastIndexOf(before)] = row
    else if (rows) rows.push(row)
    else this.#appended.set(table, [row])
  }

  #insert(table: TableName, row: AnyRow): void {
    const held: Held = { row, unwritten: 'all', page: this.#page }
    this.#rowsOf(table).set(textOf(table, row), held)
    this.#toWrite(table, held)
  }

  #replace(table: TableName, before: AnyRow, row: AnyRow): void {
    const held = this.#read.find((one) => one.row === before)
    if (held === undefined) throw new Error(`a row of ${table} is replaced that wasn't read`)
    held.row = row
    if (held.unwritten !== null) return
    held.unwritten = 'change'
    this.#toWrite(table, held)
  }

  #toWrite(table: TableName, held: Held): void {
    const rows = this.#unwritten.get(table)
    if (rows) rows.push(held)
    else this.#unwritten.set(table, [held])
  }

  #rowsOf(table: TableName): Map<string, Held> {
    const known = this.#held.get(table)
    if (known) return known
    const rows = new Map<string, Held>()
    this.#held.set(table, rows)
    return rows
  }
}

function textOf(table: TableName, row: AnyRow): string {
  return keyText(table, row as unknown as AnyKey)
}
