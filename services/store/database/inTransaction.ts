import type pg from 'pg'

/** Runs work on a connection in one transaction, rolled back if it throws. */
export async function inTransaction(db: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await db.query('begin')
  try {
    await work()
    await db.query('commit')
  } catch (error) {
    // A connection that broke is rolled back by its end.
    await db.query('rollback').catch(() => {})
    throw error
  }
}
