import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { removeClusterDirectory } from '../services/postgres/clusterDirectory.ts'
import { type RunningPostgres, startPostgres } from '../services/postgres/startPostgres.ts'
import { serializeQueries } from '../services/store/database/serializeQueries.ts'
import { copyCluster } from './run/copyCluster.ts'

/** A test's own PostgreSQL, deleted once it is stopped. */
export type PostgresUnderTest = {
  /** `postgres://…` of a database that is empty at first. The same over `crash` and `restart`. */
  databaseUrl: string
  port: number
  /**
   * A connection that is closed by `stop`. Losing it (the server is killed, the test failed) is
   * no error by itself: the next query on it is.
   *
   * @param databaseUrl by default the first database's
   */
  connect(databaseUrl?: string): Promise<pg.Client>
  /** Makes a database beside the first, empty or a copy of one to which nobody is connected. @returns its URL. */
  createDatabase(name: string, original?: string): Promise<string>
  /** Ends the server at once, as a power cut does: connections break, nothing is flushed. */
  crash(): Promise<void>
  /** Starts it again on the same port and files; ends it first if it still runs. */
  restart(): Promise<void>
  /** Ends it and deletes its files. Safe to call more than once. */
  stop(): Promise<void>
}

/**
 * What a test's server need not do: survive a power cut of the machine, feed a standby. Files that
 * are filled in the transaction that made them are then not written to the log as well.
 */
const LEAN = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  min_wal_size: '32MB',
}

/**
 * Starts a PostgreSQL for one test file.
 *
 * @param settings server settings beside those above, e.g. `{ shared_buffers: '512MB' }`
 */
export async function startPostgresUnderTest(
  settings: Record<string, string> = {},
): Promise<PostgresUnderTest> {
  const place = process.env.CAIRN_TEST_CLUSTERS ?? tmpdir()
  const directory = await mkdtemp(join(place, 'cairn-postgres-'))
  // As root, the server runs as somebody else, who must be able to pass through.
  await chmod(directory, 0o755)
  const dataDirectory = join(directory, 'data')
  const start = (port?: number) =>
    startPostgres({
      dataDirectory,
      settings: { ...LEAN, ...settings },
      ...(port !== undefined && { port }),
    })
  const remove = async () => {
    removeClusterDirectory(dataDirectory)
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await copyCluster(dataDirectory)
    return running(await start(), start, remove)
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * A pool whose connections may hear of the server's end before they are closed, as `end` doesn't wait for that.
 * Losing one is no error by itself: the next query on it is.
 */
export function createPoolUnderTest(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function running(
  first: RunningPostgres,
  start: (port: number) => Promise<RunningPostgres>,
  remove: () => Promise<void>,
): PostgresUnderTest {
  const { databaseUrl, port } = first
  let server = first
  const clients = new Set<pg.Client>()
  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    // Tests ask several things at once.
    serializeQueries(client)
    clients.add(client)
    return client
  }
  const crash = async () => {
    killIfThere(server.pid)
    await server.ended
  }
  return {
    databaseUrl,
    port,
    connect: (url = databaseUrl) => connect(url),
    createDatabase: (name, original) => createDatabase(databaseUrl, name, original),
    crash,
    restart: async () => {
      await crash()
      server = await start(port)
    },
    stop: async () => {
      await Promise.all([...clients].map((client) => client.end().catch(() => {})))
      await server.stop()
      await remove()
    },
  }
}

/** SIGQUIT is PostgreSQL's "immediate shutdown". */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    // It has ended already.
  }
}

async function createDatabase(
  databaseUrl: string,
  name: string,
  original = 'template1',
): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    // By files: writing the original to the log takes three times the processor time.
    await client.query(`CREATE DATABASE "${name}" TEMPLATE "${original}" STRATEGY FILE_COPY`)
  } finally {
    await client.end()
  }
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return url.href
}
