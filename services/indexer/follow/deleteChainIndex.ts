import type { Pool, PoolClient } from 'pg'
import { ADVISORY_LOCKS } from '../../store/database/advisoryLocks.ts'
import { inPooledTransaction } from '../../store/database/inTransaction.ts'
import { readActiveSchemas } from '../tables/activateSchema.ts'
import { createViews, dropFormerSchemas, setAside } from '../tables/createViews.ts'

/**
 * Deletes a chain's index: its schemas, its part of Ponder's cache, its anchors. Its events above the fork are kept in
 * `app.orphaned_event`. The readers' views exclude the chain until it is indexed again.
 *
 * @param fork highest block up to which the indexed events are still on the chain
 */
export async function deleteChainIndex(
  pool: Pool,
  { chainId, fork }: { chainId: number; fork: number },
): Promise<void> {
  await inPooledTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.viewSwap])
    const active = await readActiveSchemas(client)
    const own = active.find((entry) => entry.chainId === chainId)
    if (own) await keepOrphans(client, own.schema, fork)
    await createViews(
      client,
      active.filter((entry) => entry.chainId !== chainId),
    )
    const { rows } = await client.query(`select nspname from pg_namespace where nspname like $1`, [
      `cairn\\_${chainId}\\_%`,
    ])
    for (const { nspname } of rows) await setAside(client, nspname)
    await client.query('delete from app.projection where chain_id = $1', [chainId])
    await client.query('delete from app.chain_anchor where chain_id = $1', [chainId])
    await emptyCache(client, chainId)
  })
  await dropFormerSchemas(pool)
}

async function keepOrphans(client: PoolClient, schema: string, fork: number): Promise<void> {
  await client.query(
    `insert into app.orphaned_event as known (
       chain_id, block_number, log_index, block_hash, block_timestamp, transaction_hash,
       transaction_from, type, source_chain_id, intent_id, args, cause)
     select chain_id, block_number, log_index, block_hash, block_timestamp, transaction_hash,
       transaction_from, type, source_chain_id, intent_id, args, 'rebuild'
     from "${schema}".event where block_number > $1
     on conflict (chain_id, block_hash, log_index) do update
       set orphaned_at = excluded.orphaned_at, restored_at = null`,
    [fork],
  )
}

async function emptyCache(client: PoolClient, chainId: number): Promise<void> {
  const { rows } = await client.query(
    `select table_name from information_schema.columns
     where table_schema = 'ponder_sync' and column_name = 'chain_id'`,
  )
  for (const { table_name } of rows) {
    await client.query(`delete from ponder_sync."${table_name}" where chain_id = $1`, [chainId])
  }
}
