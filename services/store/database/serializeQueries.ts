import type pg from 'pg'

/** Makes each of a client's queries wait for the previous one's answer, since some come at any time: `pg` will refuse those. */
export function serializeQueries(db: pg.Client): void {
  const query = db.query.bind(db) as (...args: unknown[]) => Promise<unknown>
  let last: Promise<unknown> = Promise.resolve()
  const serialized = (...args: unknown[]) => {
    const result = last.then(() => query(...args))
    last = result.catch(() => {})
    return result
  }
  db.query = serialized as typeof db.query
}
