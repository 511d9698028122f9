import { hashSql, KIND } from './eventKinds.ts'
import { blockSql, planTable } from './intentPlanStatements.ts'
import { QUORUM, type SeedPlan } from './seedPlan.ts'

/** One of this many intents is a tranche, the only one of its order. */
const EVERY = 20

/** Remainder of each order in base units, so that there is something to return. */
const LEFT = 7

/** Seconds. */
const PERIOD = 3_600

/** Whether an intent of the plan is a tranche. */
export const IS_TRANCHE = `n % ${EVERY} = 0`

/** Funded a block before its tranche; every other order is closed. */
export const FUNDED_AT = `case when ${IS_TRANCHE} then created_at - 2 end`
export const FIRED_AT = `case when ${IS_TRANCHE} then created_at end`
export function closedAt({ until }: SeedPlan): string {
  return `case when n % ${2 * EVERY} = 0 and created_at + 30 <= ${until} then created_at + 30 end`
}

/** The vault's id of an order. */
export function orderIdSql(chainId: number): string {
  return hashSql(chainId, KIND.funded + 100)
}

/** Arguments of the three events of an order, by name: SQL of a text each. */
export function orderArguments(chainId: number) {
  const orderId = orderIdSql(chainId)
  return {
    funded: {
      orderId,
      owner: 'sender',
      token: 'token_a',
      destChainId: 'dest_chain_id',
      tokenB: 'token_b',
      expectedAmountB: 'expected_amount_b',
      totalAmount: `amount_a + reward + ${LEFT}`,
      amountPerPeriod: 'amount_a + reward',
      period: `${PERIOD}`,
      startTime: 'created_at',
      endTime: `created_at + ${2 * PERIOD}`,
      quorum: `${QUORUM}`,
      encrypted: `'0x02'`,
    },
    fired: { orderId, n: '0', intentId: 'intent_id' },
    closed: { orderId, owner: 'sender', amount: `${LEFT}`, reason: '0' },
  }
}

/** The rows of one chain's `scheduled_order`, `tranche` and `vault_escrow`. */
export function buildOrderStatements(plan: SeedPlan, chain: 0 | 1): string[] {
  return [orderRows(plan, chain), trancheRows(plan, chain), vaultRows(plan, chain)]
}

function orderRows(plan: SeedPlan, chain: 0 | 1): string {
  const { schema, chainId } = plan.chains[chain]
  const closed = closedAt(plan)
  const last = `greatest(created_at, ${closed}, settled_at, cancelled_at, refunded_at)`
  const isBack = 'coalesce(cancelled_at, refunded_at) is not null'
  const ifClosed = (value: string) => `case when (${closed}) is not null then ${value} end`
  return `insert into "${schema}".scheduled_order (chain_id, order_id, owner, dest_chain_id, token_a, token_b,
      total_amount, amount_per_period, expected_amount_b, period, start_time, first_at, end_time, quorum,
      fund_tx_hash, funded_at, funded_block, tranches_fired, tranches_completed, tranches_refunded, last_fired_at,
      remaining, amount_refunded, close_reason, close_tx_hash, closed_at, amount_returned, updated_block, updated_at)
    select ${chainId}, ${orderIdSql(chainId)}, sender, dest_chain_id, token_a, token_b,
      amount_a + reward + ${LEFT}, amount_a + reward, expected_amount_b, ${PERIOD}, created_at, created_at,
      created_at + ${2 * PERIOD}, ${QUORUM}, ${hashSql(chainId, KIND.funded)}, ${FUNDED_AT},
      ${blockSql(plan, `(${FUNDED_AT})`)}, 1, (settled_at is not null)::int, (${isBack})::int, created_at,
      case when (${closed}) is null then ${LEFT} else 0 end, case when ${isBack} then amount_a + reward else 0 end,
      ${ifClosed(`'filled'`)}, ${ifClosed(hashSql(chainId, KIND.closed))}, ${closed}, ${ifClosed(String(LEFT))},
      ${blockSql(plan, last)}, ${last}
    from ${planTable(chain)} where ${IS_TRANCHE}`
}

function trancheRows(plan: SeedPlan, chain: 0 | 1): string {
  const { schema, chainId } = plan.chains[chain]
  return `insert into "${schema}".tranche (chain_id, order_id, tranche_index, intent_id, fired_tx_hash, fired_at, block_number)
    select ${chainId}, ${orderIdSql(chainId)}, 0, intent_id, ${hashSql(chainId, KIND.created)}, created_at,
      ${blockSql(plan, 'created_at')}
    from ${planTable(chain)} where ${IS_TRANCHE}`
}

function vaultRows(plan: SeedPlan, chain: 0 | 1): string {
  const { schema, chainId } = plan.chains[chain]
  return `insert into "${schema}".vault_escrow (chain_id, token, orders, credits)
    select ${chainId}, token_a, sum(remaining), 0 from "${schema}".scheduled_order group by token_a`
}
