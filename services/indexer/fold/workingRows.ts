import type { ChainEvent, ChainEventType } from '../../../src/event/chainEvent.ts'
import { keyText } from '../../../src/projection/keyOf.ts'
import { project } from '../../../src/projection/project.ts'
import type { AnyKey, AnyRow, Key, TableName } from '../../../src/projection/rows.ts'
import { TABLES } from '../../../src/projection/tables.ts'

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

/** Intents held in memory, about 2 kB each; the ones that rested longest are read again when needed. */
const intentsHeld = 20_000

/**
 * The rows that the fold of a long history still needs: all of the small tables, the latest hour and day of statistics, and the intents that
 * events were about lately. The reducer asks for rows one by one; `missingIntents` names those to fetch
 * before a page of events is folded.
 */
export class WorkingRows {
  readonly #held = new Map<TableName, Map<string, AnyRow>>()
  readonly #limit: number
  /** Whether every intent that there is is held. */
  #complete: boolean
  #appended = new Map<TableName, AnyRow[]>()
  #fresh = new Map<TableName, Map<string, AnyRow>>()
  #changed = new Map<TableName, Map<string, AnyRow>>()
  /** The keys that the event under way has asked for: what it writes lies under the same ones. */
  #asked: { table: TableName; key: AnyKey; text: string }[] = []

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
    this.#rowsOf(this.#held, table).set(keyText(table, row as unknown as AnyKey), row)
  }

  /** Keys of the intents that these events are about and that must be held before they are folded. */
  missingIntents(events: readonly ChainEvent[]): Key<'intent'>[] {
    if (this.#complete) return []
    const held = this.#rowsOf(this.#held, 'intent')
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
    this.#asked = []
    const changes = project(event, (table, key) => this.#find(table, key))
    for (const { table, operation, key, row } of changes) {
      if (appended.has(table)) {
        this.#append(table, operation === 'update' ? keyText(table, key) : null, row)
        continue
      }
      const text = this.#textOf(table, key as unknown as AnyKey)
      this.#touch(table, text, row)
      const fresh = this.#rowsOf(this.#fresh, table)
      if (operation === 'insert' || fresh.has(text)) fresh.set(text, row)
      else this.#rowsOf(this.#changed, table).set(text, row)
    }
  }

  /** What was written since the last call. The rows are never changed afterwards. */
  takeWritten(): WrittenRows {
    const written: WrittenRows = new Map()
    for (const [table, inserted] of this.#appended) written.set(table, { inserted, replaced: [] })
    for (const table of new Set([...this.#fresh.keys(), ...this.#changed.keys()])) {
      const inserted = [...this.#rowsOf(this.#fresh, table).values()]
      const replaced = [...this.#rowsOf(this.#changed, table).values()]
      written.set(table, { inserted, replaced })
    }
    this.#appended = new Map()
    this.#fresh = new Map()
    this.#changed = new Map()
    return written
  }

  /**
   * Lets go of the intents that rested longest, and of hours and days that are over. Call it when all that was taken is in the database; what
   * was folded since must be about fewer intents than are held.
   */
  forget(): void {
    for (const [table, period] of PERIODS) this.#forgetEarlier(table, period)
    const intents = this.#rowsOf(this.#held, 'intent')
    const excess = intents.size - this.#limit
    if (excess <= 0) return
    this.#complete = false
    let dropped = 0
    for (const text of intents.keys()) {
      if (dropped++ === excess) break
      intents.delete(text)
    }
  }

  #forgetEarlier(table: TableName, period: 'day' | 'hour'): void {
    const rows = this.#rowsOf(this.#held, table)
    const at = (row: AnyRow) => (row as unknown as Record<typeof period, number>)[period]
    let latest = 0
    for (const row of rows.values()) latest = Math.max(latest, at(row))
    for (const [key, row] of rows) if (at(row) < latest) rows.delete(key)
  }

  #find(table: TableName, key: AnyKey): AnyRow | null {
    if (table === 'delivery')
      return this.#appended.get(table)?.[this.#placeOf(table, keyText(table, key))] ?? null
    if (appended.has(table)) throw new Error(`the fold of a history holds no rows of ${table}`)
    return this.#held.get(table)?.get(this.#textOf(table, key)) ?? null
  }

  /** A text that was looked up before keeps its hash. */
  #textOf(table: TableName, key: AnyKey): string {
    for (const asked of this.#asked)
      if (asked.table === table && isSame(table, asked.key, key)) return asked.text
    const text = keyText(table, key)
    this.#asked.push({ table, key, text })
    return text
  }

  /** Adds a row; or, with the key of one that was added since the last `takeWritten`, replaces that. */
  #append(table: TableName, replaced: string | null, row: AnyRow): void {
    const rows = this.#appended.get(table)
    if (replaced !== null) (rows as AnyRow[])[this.#placeOf(table, replaced)] = row
    else if (rows) rows.push(row)
    else this.#appended.set(table, [row])
  }

  /** Where a row lies among those added since the last `takeWritten`, nearly always at the end; -1 if nowhere. */
  #placeOf(table: TableName, key: string): number {
    const rows = this.#appended.get(table) ?? []
    return rows.findLastIndex((row) => keyText(table, row as unknown as AnyKey) === key)
  }

  /** Keeps a row, as the last one touched. */
  #touch(table: TableName, text: string, row: AnyRow): void {
    const rows = this.#rowsOf(this.#held, table)
    if (table === 'intent') rows.delete(text)
    rows.set(text, row)
  }

  #rowsOf(tables: Map<TableName, Map<string, AnyRow>>, table: TableName): Map<string, AnyRow> {
    const known = tables.get(table)
    if (known) return known
    const rows = new Map<string, AnyRow>()
    tables.set(table, rows)
    return rows
  }
}

function isSame(table: TableName, one: AnyKey, other: AnyKey): boolean {
  const [a, b] = [one, other] as unknown as Record<string, unknown>[]
  for (const column of TABLES[table].key) if (a?.[column] !== b?.[column]) return false
  return true
}
