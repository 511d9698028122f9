import type pg from 'pg'
import { inTransaction } from '../../../store/database/inTransaction.ts'

/**
 * Takes back what was read of blocks that have left the chain. Balances that may have come from them are
 * asked again; tokens that appeared in them only are forgotten until they are seen again.
 *
 * @param fork the last known block that is still on the chain; null when none is
 */
export function rewind(db: pg.ClientBase, chainId: number, fork: number | null): Promise<void> {
  return inTransaction(db, async () => {
    if (fork === null) return forgetChain(db, chainId)
    const given = [chainId, fork]
    await db.query(
      'update app.transfer_position set next_block = $2 + 1 where chain_id = $1',
      given,
    )
    await db.query(
      'delete from app.transfer_checkpoint where chain_id = $1 and block_number > $2',
      given,
    )
    await db.query(
      `with above as materialized (
         select safe_address from app.followed_safe
         where chain_id = $1 and next_block > $2 + 1 order by safe_address for update
       )
       update app.followed_safe f set next_block = $2 + 1, read_to = null from above
       where f.chain_id = $1 and f.safe_address = above.safe_address`,
      given,
    )
    await db.query('delete from app.safe_balance where chain_id = $1 and first_block > $2', given)
    await db.query(
      `update app.safe_balance set is_stale = true, last_block = least(last_block, $2)
       where chain_id = $1 and (last_block > $2 or asked_block > $2)`,
      given,
    )
  })
}

async function forgetChain(db: pg.ClientBase, chainId: number): Promise<void> {
  await db.query(
    'select from app.followed_safe where chain_id = $1 order by safe_address for update',
    [chainId],
  )
  for (const table of ['safe_balance', 'followed_safe', 'transfer_checkpoint', 'transfer_position'])
    await db.query(`delete from app.${table} where chain_id = $1`, [chainId])
}
