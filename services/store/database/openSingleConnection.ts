import pg from 'pg'

/** Milliseconds until a server that doesn't answer is given up. */
const CONNECT_TIMEOUT_MS = 5_000

/**
 * A single connection. A break fails its query; it doesn't end the process.
 *
 * @param name as PostgreSQL shows it (`application_name`)
 * @throws when the server can't be reached, or doesn't answer in time
 */
export async function openSingleConnection(databaseUrl: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  // Without a listener, the error event of a broken connection would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}
