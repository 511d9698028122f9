import { toColumnName } from '../../core/rows/columnName.ts'
import { hashSql, KIND } from './eventKinds.ts'
import { blockSql, planTable } from './intentPlanStatements.ts'
import { BLOB } from './intentStatements.ts'
import { closedAt, FIRED_AT, FUNDED_AT, orderArguments } from './orderStatements.ts'
import { hasEventsSql, type SeedChain, type SeedPlan } from './seedPlan.ts'
import { SEED_SCHEMA } from './seedSqlFunctions.ts'

/**
 * The `event` rows of one chain: its own intents', and the other chain's deliveries. One statement per kind: joining a `values`
 * list to each intent takes PostgreSQL twice as long.
 */
export function buildEventStatements(plan: SeedPlan, chain: 0 | 1): string[] {
  const place = plan.chains[chain]
  return [
    ...SOURCE_EVENTS.map((event) => insertEvents(plan, chain, place, event)),
    ...orderEvents(plan, chain).map((event) => insertEvents(plan, chain, place, event)),
    insertEvents(plan, chain === 0 ? 1 : 0, place, SOLVED),
  ]
}

/** Inserts one kind of event of `chain`'s intents into the tables of the chain it is on. */
function insertEvents(
  plan: SeedPlan,
  chain: 0 | 1,
  { schema, chainId }: SeedChain,
  [kind, moment, type, actor, args, transaction = kind]: EventSql,
): string {
  const block = blockSql(plan, `(${moment})`)
  const about = 'intentId' in args ? 'source_chain_id, intent_id' : 'null::bigint, null::numeric'
  const fields = Object.entries(args).map(([name, value]) => `'${name}', (${value})::text`)
  return `insert into "${schema}".event (chain_id, block_number, log_index, block_hash, block_timestamp,
      transaction_hash, transaction_from, type, source_chain_id, intent_id, args)
    select ${chainId}, ${block}, ((n % 65536) * 16 + ${kind})::int, ${SEED_SCHEMA}.hash(${chainId}, ${block}, -1),
      ${moment}, ${hashSql(plan.chains[chain].chainId, transaction)}, ${actor}, '${type}', ${about},
      jsonb_build_object(${fields.join(', ')})
    from ${planTable(chain)} where (${moment}) is not null and ${hasEventsSql(plan, chain)}`
}

/**
 * Kind, moment, event name, sender of the transaction, arguments (name → SQL of a text); the kind whose transaction it shares,
 * if any.
 */
type EventSql = [
  kind: number,
  moment: string,
  type: string,
  actor: string,
  args: Record<string, string>,
  transaction?: number,
]

/** The account that sends what the enclave signed. */
const relayer = `${SEED_SCHEMA}.account('relayer', 0)`
const anyone = `${SEED_SCHEMA}.account('anyone', (n % 50)::int)`
const winner = 'bidders[bid_count]'

/** Arguments that are columns of the plan. */
function columns(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, toColumnName(name)]))
}

const intentId = 'intent_id'
const back = { intentId, user: 'sender', amount: 'amount_a + reward' }
const terms = ['intentId', 'destChainId', 'tokenA', 'tokenB', 'amountA', 'expectedAmountB']

const created = { ...columns(...terms, 'reward', 'endTime'), user: 'sender', encryptedBlob: `'0x'` }
const anchored = {
  ...columns('intentId', 'feeBps', 'recipientClass'),
  encryptedBlob: `'${BLOB}'`,
}
const deposited = {
  ...columns('intentId', 'bond', 'fillDeadline'),
  solver: winner,
  amountB: 'offers[bid_count]',
}
const settled = {
  intentId,
  solver: winner,
  payout: 'amount_a - fee + reward',
  fee: 'fee',
  chain2IntentId: `${SEED_SCHEMA}.packed(dest_chain_id, n)`,
  attester: `${SEED_SCHEMA}.account('attester', 0)`,
}
const refunded = {
  ...back,
  forfeitedBond: 'case when bid_count = 0 then 0 else bond end',
  reason: 'case when deposited_at is null then 0 else 1 end',
}
const forfeited = { intentId, solver: winner, amount: 'bond' }
const forfeitedAt = 'case when bid_count > 0 then refunded_at end'

const SOURCE_EVENTS: EventSql[] = [
  [KIND.created, 'created_at', 'IntentCreated', 'sender', created],
  [KIND.anchored, 'anchored_at', 'IntentAnchored', relayer, anchored],
  ...[1, 2, 3].map(bidPlaced),
  [KIND.deposited, 'deposited_at', 'SolverDeposited', winner, deposited],
  [KIND.settled, 'settled_at', 'IntentSettled', relayer, settled],
  [KIND.cancelled, 'cancelled_at', 'IntentCancelled', 'sender', back],
  [KIND.refunded, 'refunded_at', 'IntentRefunded', anyone, refunded],
  [KIND.forfeited, forfeitedAt, 'BidForfeited', anyone, forfeited, KIND.refunded],
]

const solved = {
  ...columns('sourceChainId', 'intentId', 'paramsHash', 'tokenB'),
  chain2IntentId: `${SEED_SCHEMA}.packed(dest_chain_id, n)`,
  solver: winner,
  amountB: 'offers[bid_count]',
}

const SOLVED: EventSql = [KIND.solved, 'solved_at', 'IntentSolved', winner, solved]

/** The transaction that fires a tranche creates its intent. */
function orderEvents(plan: SeedPlan, chain: 0 | 1): EventSql[] {
  const { funded, fired, closed } = orderArguments(plan.chains[chain].chainId)
  return [
    [KIND.funded, FUNDED_AT, 'OrderFunded', anyone, funded],
    [KIND.fired, FIRED_AT, 'TrancheFired', 'sender', fired, KIND.created],
    [KIND.closed, closedAt(plan), 'OrderClosed', anyone, closed],
  ]
}

function bidPlaced(i: number): EventSql {
  const moment = `case when bid_count >= ${i} then bids_from + 2 + 6 * ${i - 1} end`
  const args = { intentId: 'intent_id', solver: `bidders[${i}]`, amountB: `offers[${i}]` }
  return [KIND.bid + i - 1, moment, 'BidPlaced', `bidders[${i}]`, args]
}
