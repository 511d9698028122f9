import type pg from 'pg'
import type { TransferSettings } from './transferContext.ts'

/** Minutes for which a Safe is read with its chain after its recipient has asked for it. */
const WANTED_FOR = 10

/**
 * Takes Safes from those that are read with their chain: nothing of any token that is known is in them, and
 * nothing has come or left for long. They are read once in a while, or when their recipient asks.
 */
export async function sendToRest(
  db: pg.ClientBase,
  chainId: number,
  { quietAfter }: Pick<TransferSettings, 'quietAfter'>,
): Promise<void> {
  await db.query(
    `update app.followed_safe f
     set is_quiet = true, next_block = p.next_block, read_at = now(), read_to = (
       select max(block_time) from app.transfer_checkpoint where chain_id = $1)
     from app.stealth_entry e, app.transfer_position p
     where f.chain_id = $1 and p.chain_id = $1 and e.chain_id = $1
       and e.safe_address = f.safe_address and f.next_block is null
       and e.created_at < extract(epoch from now()) - $2::bigint
       and coalesce(f.wanted_at, '-infinity') < now() - make_interval(mins => $3)
       and not exists (
         select from app.safe_balance b where b.chain_id = $1 and b.safe_address = f.safe_address
           and (b.is_stale or b.balance is distinct from 0
             or b.asked_time > extract(epoch from now()) - $2::bigint))`,
    [chainId, quietAfter, WANTED_FOR],
  )
}
