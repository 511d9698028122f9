import pg from 'pg'
import { ADVISORY_LOCK_CLASSES } from '../store/database/advisoryLocks.ts'

/** The exclusive right to write a schema. */
export type ChainLock = {
  /** Resolves if the lock is lost: the connection that holds it broke. */
  lost: Promise<void>
  /** Runs a statement on the connection that holds the lock, so that nobody runs it who has lost it. */
  query(text: string, values: unknown[]): Promise<unknown>
  release(): Promise<void>
}

/** Takes the lock of a schema; null while another supervisor holds it. */
export async function takeChainLock(
  databaseUrl: string,
  schema: string,
): Promise<ChainLock | null> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'cairn_supervisor',
    keepAlive: true,
  })
  const lost = new Promise<void>((resolve) => {
    client.once('end', () => resolve())
    client.on('error', () => resolve())
  })
  await client.connect()
  const { rows } = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as held', [
    ADVISORY_LOCK_CLASSES.indexer,
    schema,
  ])
  if (rows[0]?.held) {
    const query = (text: string, values: unknown[]) => client.query(text, values)
    return { lost, query, release: () => client.end() }
  }
  await client.end()
  return null
}

/** Whether some supervisor holds the lock of a schema, in SQL; `name` is an expression. */
export function isLockedSql(name: string): string {
  return `exists (
    select 1 from pg_locks where locktype = 'advisory' and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid = ${ADVISORY_LOCK_CLASSES.indexer} and objid::bigint = hashtext(${name})::bigint & 4294967295)`
}
