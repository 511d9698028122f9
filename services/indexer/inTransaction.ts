import type { Pool, PoolClient } from 'pg'

/** Runs work in one transaction, rolled back if it throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // Closing the connection rolls back, also when it is the connection that broke.
    client.release(true)
    throw error
  }
}
