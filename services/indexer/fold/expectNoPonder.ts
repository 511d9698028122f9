import type { ClientBase } from 'pg'

/**
 * Makes sure until the end of the transaction that no Ponder writes a schema: one that comes waits for the mark by
 * which it claims it. A fold that has lost its lock without having heard of it must not write into a live index.
 *
 * @throws when a Ponder has claimed the schema
 */
export async function expectNoPonder(client: ClientBase, schema: string): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM "${schema}"._ponder_meta WHERE value ->> 'is_locked' = '0' FOR UPDATE`,
  )
  if (rowCount !== 1) throw new Error(`${schema} is written by another process`)
}
