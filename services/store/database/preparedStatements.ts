import { LRUCache } from 'lru-cache'
import type { ClientBase, QueryResult } from 'pg'

type FrequentStatement = { readonly text: string }

/** Texts remembered at once; beyond this, the least recent are forgotten. */
const REMEMBERED = 500

/** Finds frequent statements, over all connections of a pool. */
type FrequentStatements = {
  /** The statement, always the same object, once it is frequent; else null. */
  of(text: string): FrequentStatement | null
}

type FrequentStatementsOptions = {
  /** Times that a statement comes before it counts as frequent. Default 3. */
  after?: number
  /** Characters of a text at most: longer ones never count. Default 16,384. */
  longest?: number
}

/**
 * Counts statements as they come. One that never comes twice, such as one with a chain's time written
 * into it, is soon forgotten.
 */
export function countStatements(options: FrequentStatementsOptions = {}): FrequentStatements {
  const { after = 3, longest = 16_384 } = options
  const seen = new LRUCache<string, { text: string; times: number }>({ max: REMEMBERED })
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

/** Statements that a connection holds prepared at once, unless configured otherwise. */
const MOST_PREPARED = 100

/** PostgreSQL's error when a view that a prepared statement reads has changed its columns. */
const RESULT_TYPE_CHANGED = '0A000'

/**
 * Makes a connection prepare its frequent reads: planning a read of the views takes several times
 * as long as running it. Only calls of the form `query(text, values)` are concerned.
 *
 * @param most statements prepared at once: those not asked for the longest are given back to the server
 */
export function prepareOften(
  client: ClientBase,
  frequent: FrequentStatements,
  most = MOST_PREPARED,
): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<QueryResult>
  const names = new Map<FrequentStatement, string>()
  let given = 0

  const giveBack = async (statement: FrequentStatement): Promise<void> => {
    const name = names.get(statement) as string
    names.delete(statement)
    const parsed = parsedBy(client)
    // One that failed to parse never existed, and deallocating it would break a transaction.
    if (parsed[name] === undefined) return
    delete parsed[name]
    await query(`deallocate ${name}`)
  }
  /** The name under which this connection has the statement, or is about to have it. */
  const nameOf = async (statement: FrequentStatement): Promise<string> => {
    if (names.size >= most) await giveBack(names.keys().next().value as FrequentStatement)
    // A name is never used twice: it can't meet another statement.
    const name = `cairn_${++given}`
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
    const name = known ?? (await nameOf(statement))
    try {
      return await query({ name, text, values })
    } catch (error) {
      if ((error as { code?: string }).code !== RESULT_TYPE_CHANGED) throw error
      await giveBack(statement)
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

/** Texts of what the driver knows to be prepared, by name. It never forgets one by itself. */
function parsedBy(client: ClientBase): Record<string, string> {
  const { connection } = client as unknown as {
    connection: { parsedStatements: Record<string, string> }
  }
  return connection.parsedStatements
}

function isRead(text: string): boolean {
  return /^\s*(select|with)\b/.test(text)
}
