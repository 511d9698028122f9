import type { ClientBase, QueryResult } from 'pg'

/** Names under which statements are prepared, shared by all connections of a pool. */
export type StatementNames = {
  /** The name of a statement that has come often enough, else null. */
  of(text: string): string | null
  /** Lets go of a statement's name: it will have another one. */
  forget(text: string): void
}

export type StatementNamesOptions = {
  /** Times that a statement comes before it has a name. Default 3. */
  after?: number
  /** Texts remembered; beyond it those not seen the longest are forgotten. Default 500. */
  remembered?: number
  /** Names given in all: a connection keeps each as long as it lives. Default 300. */
  names?: number
}

type Seen = { times: number; name: string | null }

/**
 * Gives names to statements that come again and again. One that never comes twice, such as one with a
 * chain's time written into it, costs the database nothing for long.
 */
export function createStatementNames(options: StatementNamesOptions = {}): StatementNames {
  const { after = 3, remembered = 500, names = 300 } = options
  const seen = new Map<string, Seen>()
  let given = 0
  return {
    of: (text) => {
      const known = seen.get(text) ?? { times: 0, name: null }
      known.times += 1
      if (known.name === null && known.times >= after && given < names) {
        given += 1
        known.name = `cairn_${given}`
      }
      seen.delete(text)
      seen.set(text, known)
      if (seen.size > remembered) seen.delete(seen.keys().next().value as string)
      return known.name
    },
    forget: (text) => {
      seen.delete(text)
    },
  }
}

/** What PostgreSQL says when a view that a prepared statement reads has other columns than before. */
const RESULT_TYPE_CHANGED = '0A000'

/**
 * Makes a connection prepare its reads that come often: planning a read of the views takes several
 * times as long as running it. Only calls of the form `query(text, values)` are concerned.
 */
export function prepareOften(client: ClientBase, names: StatementNames): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<QueryResult>
  const prepared = (...args: unknown[]): Promise<QueryResult> => {
    const [text, values] = args
    if (args.length !== 2 || typeof text !== 'string' || !isRead(text)) return query(...args)
    const name = names.of(text)
    if (name === null) return query(...args)
    return query({ name, text, values }).catch((error: { code?: string }) => {
      if (error.code !== RESULT_TYPE_CHANGED) throw error
      names.forget(text)
      return query(text, values)
    })
  }
  client.query = prepared as typeof client.query
}

function isRead(text: string): boolean {
  return /^\s*(select|with)\b/.test(text)
}
