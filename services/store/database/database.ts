import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { parseColumn } from './columns.ts'
import { createShares, type Shares } from './fairShare.ts'
import { countStatements, prepareOften } from './preparedStatements.ts'

/** What queries run on: the views over all chains that are ready, and our own tables. */
export type Db = Kysely<unknown>

type DatabaseOptions = {
  databaseUrl: string
  /** Connections at most. Default 10. */
  connections?: number
  /** Milliseconds after which PostgreSQL cancels a statement. Default 5,000. */
  statementTimeoutMs?: number
  /** Milliseconds to wait for a connection before giving up. Default 3,000. */
  connectTimeoutMs?: number
}

export type OpenDatabase = {
  db: Db
  /** For its counters (`totalCount`, `idleCount`, `waitingCount`). */
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * Opens a pool of connections. Columns arrive as `parseColumn` says; the parsers belong to this pool
 * alone.
 *
 * A client whose requests run under `readingFor` holds at most half of the connections, and all clients
 * together leave some for one that holds none.
 *
 * The database must be the primary: a replica could answer with rows older than a notification.
 */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { connections = 10, connectTimeoutMs = 3_000 } = options
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    application_name: 'cairn_api',
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs ?? 5_000,
    types: { getTypeParser: parseColumn },
  })
  // A broken connection fails its query, if it has one, and is replaced at the next use. It says so
  // once more as an event, idle or not, and an event of an error nobody listens to ends the process.
  pool.on('error', () => {})
  const frequent = countStatements()
  pool.on('connect', (client) => {
    client.on('error', () => {})
    prepareOften(client, frequent)
  })
  const shares = createShares({
    atOnce: Math.ceil(connections / 2),
    total: connections,
    patienceMs: connectTimeoutMs,
  })
  const dialect = new PostgresDialect({ pool: sharedPool(pool, shares) })
  const db = new Kysely<unknown>({ dialect })
  return { db, pool, close: () => db.destroy() }
}

/** The pool as Kysely uses it, each connection taken out of its client's share. */
function sharedPool(pool: pg.Pool, shares: Shares): PostgresPool {
  return {
    connect: async () => {
      const leave = await shares.enter()
      try {
        const connection = await pool.connect()
        // The pool makes a new `release` for each checkout.
        const { release } = connection
        connection.release = (error) => {
          leave()
          release(error)
        }
        return connection
      } catch (error) {
        leave()
        throw error
      }
    },
    end: () => pool.end(),
    options: pool.options,
  }
}
