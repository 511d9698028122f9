import pg from 'pg'
import { parseColumn } from './columnSql.ts'

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
    types: { getTypeParser: parseColumn },
    ...settings,
  })
  // Without a listener, the error event of a broken connection would end the process.
  client.on('error', () => {})
  return client
}

/** The same, connected. @throws when the server can't be reached, or doesn't answer in time */
export async function openSingleConnection(databaseUrl: string, name: string): Promise<pg.Client> {
  const client = createSingleConnection(databaseUrl, name)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}
