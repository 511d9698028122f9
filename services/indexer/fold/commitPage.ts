import type { ClientBase } from 'pg'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { inTransaction } from '../../store/database/inTransaction.ts'
import type { PonderInternals } from '../ponder/ponderInternals.ts'
import { createPonderTables } from './createPonderTables.ts'
import type { ResumePoint } from './readResumePoint.ts'
import type { WrittenRows } from './workingRows.ts'
import { writeRows } from './writeRows.ts'

export type PageCommit = {
  schema: string
  chain: ChainConfig
  ponder: PonderInternals
  /** State of the tables before the page. */
  from: Omit<ResumePoint, 'from'>
  /** Checkpoint after the page. */
  to: string
}

/**
 * Writes a page's rows and advances Ponder's checkpoint in one transaction. The first page creates the tables.
 *
 * @throws when the checkpoint has moved, because another process writes the schema
 */
export async function commitPage(
  client: ClientBase,
  { schema, chain, ponder, from, to }: PageCommit,
  written: WrittenRows,
): Promise<void> {
  await inTransaction(client, async () => {
    // A power cut may lose the last pages, rows and checkpoint together, unless readers have seen them.
    if (!from.isReady) await client.query('SET LOCAL synchronous_commit = off')
    if (!from.hasTables) await createPonderTables(client, ponder, schema)
    await expectNoPonder(client, schema)
    const { rowCount } = await client.query(
      from.checkpoint === null
        ? `INSERT INTO "${schema}"._ponder_checkpoint
             (chain_name, chain_id, safe_checkpoint, latest_checkpoint, finalized_checkpoint)
           SELECT $1, $2::bigint, $3, $3, $3 WHERE $4::text IS NULL`
        : `UPDATE "${schema}"._ponder_checkpoint
              SET safe_checkpoint = $3, latest_checkpoint = $3, finalized_checkpoint = $3
            WHERE chain_name = $1 AND chain_id = $2 AND latest_checkpoint = $4`,
      [chain.name, chain.chainId, to, from.checkpoint],
    )
    if (rowCount !== 1) throw new Error(`${schema} is written by another process`)
    await writeRows(client, schema, written)
  })
}

/**
 * Locks the row with which a Ponder claims a schema, so that none can start to write until the transaction ends. A fold
 * may not know yet that it lost its advisory lock, and must not write into a live index.
 *
 * @throws when a Ponder has claimed the schema
 */
export async function expectNoPonder(client: ClientBase, schema: string): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM "${schema}"._ponder_meta WHERE value ->> 'is_locked' = '0' FOR UPDATE`,
  )
  if (rowCount !== 1) throw new Error(`${schema} is written by another process`)
}
