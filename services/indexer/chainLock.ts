import { ADVISORY_LOCK_CLASSES, tryLockWhileAlive } from '../store/database/advisoryLocks.ts'
import { openSingleConnection } from '../store/database/openSingleConnection.ts'

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
  const client = await openSingleConnection(databaseUrl, 'cairn_supervisor')
  const lost = new Promise<void>((resolve) => {
    client.once('end', () => resolve())
    client.on('error', () => resolve())
  })
  try {
    if (await tryLockWhileAlive(client, 'indexer', schema)) {
      const query = (text: string, values: unknown[]) => client.query(text, values)
      return { lost, query, release: () => client.end() }
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
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
