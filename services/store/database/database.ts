import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import type { Rows } from '../../../src/projection/rows.ts'
import type { SqlRow } from './columns.ts'
import { createShares, type Shares } from './fairShare.ts'
import { parseColumn } from './parseColumn.ts'
import { countStatements, prepareOften } from './preparedStatements.ts'

/** The views over all chains that are ready, and our own tables, with their columns' SQL names. */
type Database = {
  'cairn.event': SqlRow<Rows['event']>
  'cairn.intent': SqlRow<Rows['intent']>
  'cairn.delivery': SqlRow<Rows['delivery']>
  'cairn.bid': SqlRow<Rows['bid']>
  'cairn.solver_record': SqlRow<Rows['solverRecord']>
  'cairn.solver_volume': SqlRow<Rows['solverVolume']>
  'cairn.solver_stake': SqlRow<Rows['solverStake']>
  'cairn.forfeit': SqlRow<Rows['forfeit']>
  'cairn.sealing_key': SqlRow<Rows['sealingKey']>
  'cairn.pair_day': SqlRow<Rows['pairDay']>
  'cairn.pair_hour': SqlRow<Rows['pairHour']>
  'cairn.solver_day': SqlRow<Rows['solverDay']>
  'cairn.sender_day': SqlRow<Rows['senderDay']>
  'cairn.pair_sender_day': SqlRow<Rows['pairSenderDay']>
  'cairn.escrow': SqlRow<Rows['escrow']>
  'cairn.scheduled_order': SqlRow<Rows['scheduledOrder']>
  'cairn.tranche': SqlRow<Rows['tranche']>
  'cairn.vault_escrow': SqlRow<Rows['vaultEscrow']>
  'cairn.bridge': SqlRow<Rows['bridge']>
  'cairn.bridge_token': SqlRow<Rows['bridgeToken']>
  'cairn.bridge_destination': SqlRow<Rows['bridgeDestination']>
  'cairn.bridge_periphery': SqlRow<Rows['bridgePeriphery']>
  'cairn.bridge_announcement': SqlRow<Rows['bridgeAnnouncement']>
  /** The state of each chain's index. Times are unix seconds. */
  'cairn.chain_clock': {
    chain_id: number
    timestamp: number
    block_number: number
    safe_block: number
    finalized_block: number
  }
  'app.projection': {
    schema_name: string
    chain_id: number
    chain_name: string
    build: string
    state: 'backfilling' | 'live' | 'resuming'
    active: boolean
    /** Share of the backfill done, 0 to 1. */
    progress: number
    base_sequence: number | null
    resume_block: number | null
    problem: string | null
    created_at: Date
    ready_at: Date | null
  }
  'app.change_log': {
    sequence: number
    source_chain_id: number | null
    intent_id: bigint | null
    table_name: string
    operation: 'insert' | 'update' | 'delete'
    changed_at: Date
  }
  'app.orphaned_event': SqlRow<Rows['event']> & {
    cause: 'reorg' | 'resume' | 'rebuild'
    orphaned_at: Date
    restored_at: Date | null
  }
}

/** What queries run on. */
export type Db = Kysely<Database>

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
  const db = new Kysely<Database>({ dialect })
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
