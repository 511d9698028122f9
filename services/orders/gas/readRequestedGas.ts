import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  hasFailed,
  LIVE_STATES,
  type TransactionState,
} from '../../chain/transactions/transactionRow.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { FoldedOrders } from '../follow/foldedOrders.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import { estimateOrderCallGas } from './estimateOrderCallGas.ts'
import { type GasAccount, gasOfTranches } from './ownerGasAccounts.ts'

/** A requested call that the latest snapshot of the chain doesn't show. */
type RequestedGas = {
  effect: string
  owner: Hex
  gas: Partial<GasAccount>
  /** Whether it ended without the effect. */
  hasFailed: boolean
}

type Row = {
  kind: string
  effect: string
  owner: Hex
  state: TransactionState
  /** How many attempts were paid for, or will be. */
  times: number
  /** Null when the owner signed with a key, so that no contract checks the signature. */
  gasLimit: number | null
  bytes: number
}

/**
 * Calls requested by any instance that the chain doesn't show: pending, or reverted in a block.
 *
 * @param owner restricts them to one owner
 */
export async function readRequestedGas(
  { db, account }: Pick<OrdersContext, 'db' | 'account'>,
  { chainId }: Pick<ServedChain, 'chainId'>,
  book: Pick<FoldedOrders, 'find'> | null,
  owner?: Hex,
): Promise<RequestedGas[]> {
  const rows = await readRequests(db, chainId, account.toLowerCase(), owner ?? null)
  return rows.flatMap((row) => {
    const gas = row.kind === 'fundOrder' ? gasOfFunding(row, book) : gasOfFiring(row, book)
    if (gas === null) return []
    return [{ effect: row.effect, owner: row.owner, gas, hasFailed: hasFailed(row) }]
  })
}

/**
 * A tranche requested over an hour ago is on the chain, has failed, or is live. A revert leaves no trace in the order
 * book, and may have happened at each attempt. Tampered rows dated in the future don't count: they would use up the gas of
 * every day.
 */
async function readRequests(
  db: Db,
  chainId: number,
  account: string,
  owner: Hex | null,
): Promise<Row[]> {
  const live = sql.join(LIVE_STATES)
  const hasReverted = sql`tx_hash is not null and succeeded is not true`
  const columns = sql`kind, effect, payer as owner, state, gas_limit::double precision as "gasLimit",
    (length(data) - 2) / 2 as bytes, case when ${hasReverted} then least(round, 1000000) + 1 else 1 end as times`
  const matching = sql`chain_id = ${chainId}::bigint and payer is not null
    and requested_at < now() + interval '1 hour' and (${owner}::text is null or payer = ${owner})`
  const { rows } = await sql<Row>`
    select ${columns} from app.transaction
    where ${matching} and kind = 'fundOrder' and requested_at > now() - interval '24 hours'
      and (state not in ('failed', 'superseded') or tx_hash is not null)
    union
    select ${columns} from app.transaction
    where ${matching} and kind = 'fireTranche' and requested_at > now() - interval '1 hour'
      and state not in ('failed', 'superseded')
    union
    select ${columns} from app.transaction
    where ${matching} and kind = 'fireTranche' and changed_at > now() - interval '24 hours'
      and changed_at < now() + interval '1 hour' and requested_at > now() - interval '7 days' and ${hasReverted}
    union
    select ${columns} from app.transaction
    where ${matching} and kind = 'fireTranche' and account = ${account} and state in (${live})`.execute(
    db,
  )
  return rows
}

/** Once the chain shows it, what counts is the gas beyond the usual that the owner's contract may have used. */
function gasOfFunding(
  { effect, times, gasLimit, bytes }: Row,
  book: Pick<FoldedOrders, 'find'> | null,
): Partial<GasAccount> | null {
  const order = book?.find(effect as Hex) ?? null
  if (order === null) {
    const { fund, close } = estimateOrderCallGas({ bytes, quorum: 1 })
    return { fundings: times * (gasLimit ?? fund), closes: close }
  }
  if (gasLimit === null || order.facts.tranchesCompleted > 0) return null
  const { fund } = estimateOrderCallGas({
    bytes: order.size,
    quorum: order.facts.quorum,
  })
  return { fundings: Math.max(0, gasLimit - fund) }
}

function gasOfFiring(
  { effect, times, bytes }: Row,
  book: Pick<FoldedOrders, 'find'> | null,
): Partial<GasAccount> | null {
  const [orderId, n] = effect.split(':')
  const order = book?.find(orderId as Hex) ?? null
  if (order === null) return { tranches: times * estimateOrderCallGas({ bytes, quorum: 1 }).fire }
  return order.tranches.length > Number(n) ? null : { tranches: times * gasOfTranches(order) }
}
