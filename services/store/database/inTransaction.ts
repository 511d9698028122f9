import type { ClientBase, Pool, PoolClient } from 'pg'

/** Runs work on a connection in one transaction, rolled back if it throws. */
export async function inTransaction(db: ClientBase, work: () => Promise<void>): Promise<void> {
  await db.query('begin')
  try {
    await work()
    await db.query('commit')
  } catch (error) {
    // The end of a broken connection rolls back too.
    await db.query('rollback').catch(() => {})
    throw error
  }
}

/** Runs work in one transaction on a separate connection, rolled back if it throws. */
export async function inPooledTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  // A connection that breaks also emits an error event, which would end the process without a listener. The pool listens
  // only while the connection is idle.
  const ignore = () => {}
  client.on('error', ignore)
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.off('error', ignore)
    client.release()
    return result
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true)
    throw error
  }
}
