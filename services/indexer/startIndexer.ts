import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { ChainConfig } from '../config/chainConfig.ts'
import { migrate } from '../store/database/migrate.ts'
import { openPool } from '../store/database/openPool.ts'
import type { ChainLock } from './chainLock.ts'
import type { ChainStatus, Supervision } from './chainSupervision.ts'
import { initialiseStateHashes } from './check/initialiseStateHashes.ts'
import { computeBuildId, schemaOf } from './computeBuildId.ts'
import { superviseChain } from './follow/superviseChain.ts'
import { keepChangeLogShort } from './pruneChangeLog.ts'
import { ensureViews } from './tables/activateSchema.ts'

type StartIndexerOptions = {
  chains: ChainConfig[]
  /** PostgreSQL 15 or newer; its user may create schemas. */
  databaseUrl: string
  log: Logger
}

/** A running indexer: one supervised Ponder process per chain, until `stop`. */
export type Indexer = {
  /** Each chain's status, in the order of the configuration. */
  statuses(): ChainStatus[]
  /** Calls the listener at every change of a status; returns a function that removes it. */
  onStatus(listener: (status: ChainStatus) => void): () => void
  /** Stops all processes in order; resolves when they have ended. */
  stop(): Promise<void>
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Migrates the database and starts to index every chain. Resolves as soon as the readers' views exist; each chain
 * becomes live by itself.
 *
 * @throws when the database can't be reached or was migrated by another version
 */
export async function startIndexer({
  chains,
  databaseUrl,
  log,
}: StartIndexerOptions): Promise<Indexer> {
  await migrate(databaseUrl)
  const pool = openPool({
    connectionString: databaseUrl,
    application_name: 'cairn_supervisor',
    max: 4 + chains.length,
    connectionTimeoutMillis: 15_000,
  })
  pool.on('error', (error) => log.warn({ err: error }, 'lost a database connection'))
  await ensureViews(
    pool,
    chains.map(({ chainId }) => chainId),
  )
  const stopping = new AbortController()
  const listeners = new Set<(status: ChainStatus) => void>()
  const supervisions = await Promise.all(
    chains.map(async (chain) => {
      const build = await computeBuildId(chain, ROOT)
      const schema = schemaOf(chain, build)
      const shared = { chain, build, schema, databaseUrl, pool, root: ROOT, log }
      return { ...shared, signal: stopping.signal, ...statusBoard(shared, listeners) }
    }),
  )
  const following = supervisions.map(superviseChain)
  const repeated = [keepChangeLogShort(pool, log), initialiseStateHashes(pool, log)]
  return {
    statuses: () => supervisions.map(({ status }) => ({ ...status() })),
    onStatus: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([...following, ...repeated.map((one) => one.stop())])
      await pool.end()
    },
  }
}

function statusBoard(
  { chain, schema, log }: Pick<Supervision, 'chain' | 'schema' | 'log'>,
  listeners: Set<(status: ChainStatus) => void>,
): Pick<Supervision, 'report' | 'status' | 'publishThrough'> {
  const status: ChainStatus = {
    name: chain.name,
    chainId: chain.chainId,
    schema,
    state: 'starting',
    progress: 0,
    problem: null,
    pid: null,
  }
  let held: ChainLock | null = null
  let publishing: Promise<unknown> = Promise.resolve()
  /** Shows the API, which is another process, why a chain is behind. */
  const publish = () => {
    const lock = held
    if (lock === null) return
    const { problem, progress } = status
    publishing = publishing
      .then(() =>
        lock.query(
          `update app.projection set problem = $2, progress = greatest(progress, $3)
           where schema_name = $1`,
          [schema, problem, progress],
        ),
      )
      .catch((error: Error) => log.debug({ err: error }, 'could not publish a status'))
  }
  return {
    status: () => status,
    report: (change) => {
      const before = { ...status }
      Object.assign(status, change)
      if (status.problem !== before.problem || status.progress !== before.progress) publish()
      for (const listener of listeners) listener({ ...status })
    },
    publishThrough: async (lock) => {
      held = lock
      // An earlier indexer may have left a problem there.
      publish()
      await publishing
    },
  }
}
