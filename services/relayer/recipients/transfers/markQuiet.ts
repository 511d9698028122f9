import type pg from 'pg'
import type { TransferSettings } from './transferContext.ts'

/** Minutes for which a Safe is read with its chain after its recipient has asked for it. */
const ASKED_FOR = 10

/**
 * Makes Safes quiet that hold none of the known tokens and had no transfer for long: they are read once in
 * a while, or when their recipient asks, instead of with their chain.
 */
export async function markQuiet(
  db: pg.ClientBase,
  chainId: number,
  { quietAfter }: Pick<TransferSettings, 'quietAfter'>,
): Promise<void> {
  await rest(
    db,
    chainId,
    `select f.safe_address from app.followed_safe f
     join app.stealth_entry e on e.chain_id = f.chain_id and e.safe_address = f.safe_address
     where f.chain_id = $1 and f.next_block is null
       and e.created_at < extract(epoch from now()) - $2::bigint
       and coalesce(f.wanted_at, '-infinity') < now() - make_interval(mins => $3)
       and not exists (
         select from app.safe_balance b where b.chain_id = $1 and b.safe_address = f.safe_address
           and (b.is_stale or b.balance is distinct from 0
             or b.asked_time > extract(epoch from now()) - $2::bigint))`,
    [quietAfter, ASKED_FOR],
  )
}

/**
 * Makes never-paid Safes quiet earlier when there are more than are read with a chain. An intent's
 * second Safe comes after every intent's first, and so on, so that an intent with hundreds displaces
 * none with a few; of equals the newest stay.
 */
export async function markUnpaidQuiet(
  db: pg.ClientBase,
  chainId: number,
  { mostUnpaid }: Pick<TransferSettings, 'mostUnpaid'>,
): Promise<void> {
  await rest(
    db,
    chainId,
    `select safe_address from (
       select f.safe_address, e.id,
         row_number() over (partition by e.intent_id order by e.id) as turn
       from app.followed_safe f
       join app.stealth_entry e on e.chain_id = f.chain_id and e.safe_address = f.safe_address
       where f.chain_id = $1 and f.next_block is null and not exists (
         select from app.safe_balance b where b.chain_id = $1 and b.safe_address = f.safe_address)
     ) as unpaid order by turn, id desc offset $2::integer`,
    [mostUnpaid],
  )
}

/** @param chosen a query for their addresses; `$1` is the chain, `given` come after */
async function rest(
  db: pg.ClientBase,
  chainId: number,
  chosen: string,
  given: readonly unknown[],
): Promise<void> {
  await db.query(
    `with chosen as materialized (
       select safe_address from app.followed_safe
       where chain_id = $1 and safe_address in (${chosen}) order by safe_address for update
     )
     update app.followed_safe f
     set is_quiet = true, next_block = p.next_block, read_at = now(), read_to = (
       select max(block_time) from app.transfer_checkpoint where chain_id = $1)
     from chosen, app.transfer_position p
     where f.chain_id = $1 and p.chain_id = $1 and f.safe_address = chosen.safe_address`,
    [chainId, ...given],
  )
}
