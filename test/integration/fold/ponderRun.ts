import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { type PonderLine, startPonder } from '../../../services/indexer/ponder/startPonder.ts'
import { until } from '../../rig/until.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * Runs the project's own Ponder on a chain until it has indexed all that is final, and ends it.
 *
 * @param options.isDone what else to wait for, looked at again and again
 * @returns its log.
 */
export async function indexUntilLive(options: {
  chain: ChainConfig
  databaseUrl: string
  schema: string
  /** First block of which the tables hold nothing yet; by default the chain's start block. */
  startBlock?: number
  /** Default: false. */
  isFolded?: boolean
  isDone?: () => Promise<boolean>
}): Promise<PonderLine[]> {
  const lines: PonderLine[] = []
  const live = Promise.withResolvers<void>()
  const ponder = await startPonder({
    ...options,
    root,
    onLine: (line) => {
      lines.push(line)
      if (line.msg === 'Started live indexing') live.resolve()
    },
  })
  const { startBlock = options.chain.startBlock, isFolded = false } = options
  ponder.release({ startBlock, isFolded })
  const ended = ponder.ended.then((reason) => {
    throw new Error(`Ponder ${reason}\n${lines.map(({ msg }) => msg).join('\n')}`)
  })
  ended.catch(() => {})
  const { isDone } = options
  await Promise.race([
    live.promise.then(() => isDone && until(isDone, 'what Ponder has to do')),
    ended,
  ])
  await ponder.stop()
  return lines
}

/** Every row of the tables that the handlers write, as text. */
export async function readProjections(
  databaseUrl: string,
  schema: string,
): Promise<Record<string, object[]>> {
  return withClient(databaseUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = $1 AND table_name NOT LIKE '\\_%' ORDER BY 1`,
      [schema],
    )
    const projections: Record<string, object[]> = {}
    for (const { name } of tables) {
      const { rows } = await client.query(
        `SELECT to_jsonb(one) AS row FROM "${schema}"."${name}" AS one ORDER BY to_jsonb(one)::text`,
      )
      projections[name] = rows.map(({ row }) => row)
    }
    return projections
  })
}

export async function withClient<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Makes an empty database beside the given one. @returns its URL. */
export async function createDatabase(databaseUrl: string, name: string): Promise<string> {
  await withClient(databaseUrl, (client) => client.query(`CREATE DATABASE "${name}"`))
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return url.href
}
