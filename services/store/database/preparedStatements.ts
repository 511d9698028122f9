import { LRUCache } from 'lru-cache'
import type { ClientBase, QueryResult } from 'pg'

type FrequentStatement = { readonly text: string }

/** Statements counted; beyond it the least recent are dropped. */
const COUNTED = 500

/** Finds a pool's frequent statements. */
type FrequentStatements = {
  /** The statement, always the same object, if it is frequent; else null. */
  of(text: string): FrequentStatement | null
}

type FrequentStatementsOptions = {
  /** Uses after which a statement is frequent. Default 3. */
  after?: number
  /** Statements longer than this are never frequent. Default 16,384 characters. */
  longest?: number
}

/**
 * Counts statements. Those that never repeat, such as ones with a chain's time in their text, are soon dropped.
 */
export function countStatements(options: FrequentStatementsOptions = {}): FrequentStatements {
  const { after = 3, longest = 16_384 } = options
  const seen = new LRUCache<string, { text: string; times: number }>({ max: COUNTED })
  return {
    of: (text) => {
      if (text.length > longest) return null
      const known = seen.get(text) ?? { text, times: 0 }
      known.times += 1
      seen.set(text, known)
      return known.times >= after ? known : null
    },
  }
}

/** Default limit on a connection's prepared statements. */
const MOST_PREPARED = 100

/** PostgreSQL's error if the columns of a view behind a prepared statement have changed. */
const RESULT_TYPE_CHANGED = '0A000'

/**
 * Makes a connection prepare frequent reads, because planning a read of the views takes several times as long as running it.
 * Affects only calls of the form `query(text, values)`.
 *
 * @param most limit on prepared statements; the least recently used are deallocated
 */
export function prepareOften(
  client: ClientBase,
  frequent: FrequentStatements,
  most = MOST_PREPARED,
): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<QueryResult>
  const names = new Map<FrequentStatement, string>()
  let nameCount = 0

  const deallocate = async (statement: FrequentStatement): Promise<void> => {
    const name = names.get(statement) as string
    names.delete(statement)
    const parsed = parsedBy(client)
    // It doesn't exist if parsing failed; deallocating it would then abort a transaction.
    if (parsed[name] === undefined) return
    delete parsed[name]
    await query(`deallocate ${name}`)
  }
  const assignName = async (statement: FrequentStatement): Promise<string> => {
    if (names.size >= most) await deallocate(names.keys().next().value as FrequentStatement)
    // Names are never reused, so a name can't refer to another statement.
    const name = `cairn_${++nameCount}`
    names.set(statement, name)
    return name
  }
  const run = async (statement: FrequentStatement, values: unknown): Promise<QueryResult> => {
    const { text } = statement
    const known = names.get(statement)
    if (known !== undefined) {
      names.delete(statement)
      names.set(statement, known)
    }
    const name = known ?? (await assignName(statement))
    try {
      return await query({ name, text, values })
    } catch (error) {
      if ((error as { code?: string }).code !== RESULT_TYPE_CHANGED) throw error
      await deallocate(statement)
      return query(text, values)
    }
  }
  const prepared = (...args: unknown[]): Promise<QueryResult> => {
    const [text, values] = args
    if (args.length !== 2 || typeof text !== 'string' || !isRead(text)) return query(...args)
    const statement = frequent.of(text)
    return statement === null ? query(...args) : run(statement, values)
  }
  client.query = prepared as typeof client.query
}

/** The driver's record of prepared statements, by name. It never removes an entry itself. */
function parsedBy(client: ClientBase): Record<string, string> {
  const { connection } = client as unknown as {
    connection: { parsedStatements: Record<string, string> }
  }
  return connection.parsedStatements
}

function isRead(text: string): boolean {
  return /^\s*(select|with)\b/.test(text)
}
