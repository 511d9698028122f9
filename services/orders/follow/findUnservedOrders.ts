import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { VaultChain } from '../chain/vaultChain.ts'

/** Open orders of a vault that the configuration no longer has. */
export type UnservedOrders = {
  chainId: number
  vault: Hex
  openOrders: number
  /** The block up to which its events were copied. */
  blockNumber: number
}

/** Counting the orders of a million events takes four seconds. */
const TIMEOUT = '120s'

/**
 * Counts open orders of vaults that were served before and aren't configured any more. Their copied events don't change, so
 * that each is counted once. Those that are served now are noted as well: with another vault, their orders must be known even
 * if none was copied yet.
 *
 * Must run before the chains are followed: a chain that has another vault now loses its copy.
 */
export function findUnservedOrders(
  db: Db,
  chains: readonly Pick<VaultChain, 'chainId' | 'vault'>[],
): Promise<UnservedOrders[]> {
  const served = chains.map(({ chainId, vault }) => `${chainId} ${vault}`)
  return db.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = ${sql.lit(TIMEOUT)}`.execute(transaction)
    await sql`insert into orders.former_vault (chain_id, vault, block_number, open_orders)
      select id, vault, 0, 0
      from unnest(${chains.map((one) => one.chainId)}::bigint[], ${chains.map((one) => one.vault)}::text[]) as c (id, vault)
      on conflict do nothing`.execute(transaction)
    await sql`insert into orders.former_vault (chain_id, vault, block_number, open_orders)
      select copy.chain_id, copy.vault, copy.block_number, (
        select count(*) from (
          select from orders.event
          where chain_id = copy.chain_id and type in ('OrderFunded', 'TrancheFired', 'OrderClosed')
          group by args ->> 'orderId'
          having bool_or(type = 'OrderFunded') and not bool_or(type = 'OrderClosed')
            and max(${amount('totalAmount')}) > max(${amount('amountPerPeriod')})
              * count(*) filter (where type = 'TrancheFired')) open)
      from (select chain_id, split_part(contracts, ' ', 1) as vault, block_number from orders.cursor) copy
      where chain_id || ' ' || vault <> all(${served}) and not exists (
        select from orders.former_vault known where known.chain_id = copy.chain_id
          and known.vault = copy.vault and known.block_number = copy.block_number)
      on conflict (chain_id, vault) do update
        set block_number = excluded.block_number, open_orders = excluded.open_orders`.execute(
      transaction,
    )
    const { rows } = await sql<UnservedOrders>`
      select chain_id as "chainId", vault, open_orders as "openOrders", block_number as "blockNumber"
      from orders.former_vault where open_orders > 0 and chain_id || ' ' || vault <> all(${served})
      order by chain_id, vault`.execute(transaction)
    return rows
  })
}

/** An amount of a funding; null for any text that isn't one. */
function amount(name: string) {
  const text = sql`args ->> ${sql.lit(name)}`
  return sql`case when type = 'OrderFunded' and ${text} ~ '^[0-9]{1,78}$' then (${text})::numeric end`
}
