import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type pg from 'pg'
import { parseColumn } from './columnSql.ts'
import { createFairShares, type FairShares } from './fairShares.ts'
import { openPool } from './openPool.ts'
import { countStatements, prepareOften } from './preparedStatements.ts'

/** A connection pool for queries over the views of all ready chains and our own tables. */
export type Db = Kysely<unknown>

type DatabaseOptions = {
  databaseUrl: string
  /** The connections' name, as PostgreSQL shows it (`application_name`). Default `cairn`. */
  name?: string
  /** Limit on connections. Default 10. */
  connections?: number
  /** Milliseconds after which PostgreSQL cancels a statement. Default 5,000. */
  statementTimeoutMs?: number
  /** Milliseconds to wait for a connection before giving up. Default 3,000. */
  connectTimeoutMs?: number
}

export type OpenDatabase = {
  db: Db
  /** Its counters are `totalCount`, `idleCount` and `waitingCount`. */
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * Opens a connection pool, whose columns are parsed by `parseColumn`.
 *
 * A client whose requests run under `readingFor` gets at most half of the connections, and all clients together leave some
 * for a client that has none.
 *
 * The database must be the primary: a replica could return rows older than a notification.
 */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { connections = 10, connectTimeoutMs = 3_000 } = options
  const pool = openPool({
    connectionString: options.databaseUrl,
    application_name: options.name ?? 'cairn',
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs ?? 5_000,
    types: { getTypeParser: parseColumn },
  })
  const frequent = countStatements()
  pool.on('connect', (client) => prepareOften(client, frequent))
  const shares = createFairShares({
    atOnce: Math.ceil(connections / 2),
    total: connections,
    timeoutMs: connectTimeoutMs,
  })
  const dialect = new PostgresDialect({ pool: sharedPool(pool, shares) })
  const db = new Kysely<unknown>({ dialect })
  return { db, pool, close: () => db.destroy() }
}

/** The pool for Kysely, with each connection counted in its client's share. */
function sharedPool(pool: pg.Pool, shares: FairShares): PostgresPool {
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
