import { skipUsedNumbersSql } from '../../store/changes/skipUsedNumbersSql.ts'
import { inPooledTransaction } from '../../store/database/inTransaction.ts'
import type { Supervision } from '../chainSupervision.ts'

/**
 * Registers the chain's projection and prepares its schema for Ponder, unless done already. A projection whose tables are
 * gone, as after a dump of schema `app` alone was restored, is registered anew: its row says that readers see it.
 */
export async function prepareSchema({
  pool,
  chain,
  build,
  schema,
}: Pick<Supervision, 'pool' | 'chain' | 'build' | 'schema'>): Promise<void> {
  await inPooledTransaction(pool, async (client) => {
    await client.query(
      `delete from app.projection where schema_name = $1 and ready_at is not null
         and to_regclass(format('%I.event', schema_name)) is null`,
      [schema],
    )
    await client.query(
      `insert into app.projection (schema_name, chain_id, chain_name, build)
       values ($1, $2, $3, $4) on conflict (schema_name) do nothing`,
      [schema, chain.chainId, chain.name, build],
    )
    await client.query('select app.prepare_schema($1)', [schema])
  })
}

/** Records that Ponder starts: the chain is live once its index has reached this head. */
export async function markStarting(
  { pool, schema }: Pick<Supervision, 'pool' | 'schema'>,
  head: number,
): Promise<void> {
  await pool.query('select app.mark_starting($1, $2)', [schema, head])
  await pool.query(skipUsedNumbersSql('app.change_log'))
}
