import pg from 'pg'
import { parseColumn } from './columnSql.ts'
import { requireSessionSettings } from './sessionSettings.ts'

/** Milliseconds until a server that doesn't answer is given up. */
const CONNECT_TIMEOUT_MS = 5_000

/**
 * A single connection that isn't connected yet. A break fails its query; it doesn't end the process. Columns are parsed
 * by `parseColumn`.
 *
 * @param name as PostgreSQL shows it (`application_name`)
 */
export function createSingleConnection(
  databaseUrl: string,
  name: string,
  settings: pg.ClientConfig = {},
): pg.Client {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 15_000,
    types: { getTypeParser: parseColumn },
    ...settings,
  })
  // Without a listener, the error event of a broken connection would end the process.
  client.on('error', () => {})
  return client
}

/**
 * The same, connected.
 *
 * @throws when the server can't be reached, doesn't answer in time, or doesn't take our sessions' settings
 */
export async function openSingleConnection(databaseUrl: string, name: string): Promise<pg.Client> {
  const client = createSingleConnection(databaseUrl, name)
  try {
    await client.connect()
    await requireSessionSettings(client)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/**
 * Connects a client, runs `use`, and closes the client.
 *
 * @param use gets a promise that resolves when the connection ends or the signal is aborted, and rejects when it breaks
 */
export async function runWhileConnected(
  client: pg.Client,
  signal: AbortSignal,
  use: (ended: Promise<void>) => Promise<void>,
): Promise<void> {
  // Also rejected by an error that the server sends before it closes the connection.
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  ended.catch(() => {})
  const end = () => {
    resolve()
    client.end().catch(() => {})
  }
  client.on('error', reject)
  client.on('end', resolve)
  signal.addEventListener('abort', end)
  try {
    // pg never settles a `connect` that `end` interrupts.
    await Promise.race([client.connect(), ended])
    if (!signal.aborted) await use(ended)
  } finally {
    signal.removeEventListener('abort', end)
    await client.end().catch(() => {})
  }
}
