import { planTable } from './intentPlanStatements.ts'
import { type SeedPlan, STAKE } from './seedPlan.ts'

/**
 * The statistics of one chain, from the rows of `event`, `intent`, `bid` and `delivery` in its schema.
 */
export function buildStatisticsStatements(plan: SeedPlan, chain: 0 | 1): string[] {
  const { schema, chainId } = plan.chains[chain]
  return [
    solverRecords(schema, chainId),
    solverVolumes(schema, chainId),
    solverStakes(schema, chainId),
    pairPeriods(schema, planTable(chain), { table: 'pair_day', period: 'day', seconds: 86_400 }),
    pairPeriods(schema, planTable(chain), { table: 'pair_hour', period: 'hour', seconds: 3_600 }),
    solverDays(schema, chainId),
    senderDays(schema, { table: 'sender_day', key: 'source_chain_id' }),
    senderDays(schema, { table: 'pair_sender_day', key: PAIR }),
    escrow(schema, chainId),
  ]
}

/** Columns of a `union`: the given ones, and zero for the others. */
function orZero(
  names: readonly string[],
  given: Record<string, string>,
  zero = '0::numeric',
): string {
  return names.map((name) => `${given[name] ?? zero} as ${name}`).join(', ')
}

const ACTS = ['bids', 'wins', 'deliveries', 'settlements', 'failures', 'no_shows']

function solverRecords(schema: string, chainId: number): string {
  const act = (moment: string, table: string, given: Record<string, string> = {}, own = true) =>
    `select solver, ${moment} as at, ${own} as own, ${orZero(ACTS, given, '0')} from "${schema}".${table}`
  const acts = [
    act('bid_at', 'bid', { bids: '1' }),
    act('deposited_at', 'intent where solver is not null', { wins: '1' }),
    act('solved_at', 'delivery', { deliveries: '1' }),
    act('settled_at', `intent where phase = 'completed'`, { settlements: '1' }, false),
    act('forfeited_at', 'forfeit', FORFEITS, false),
    act('set_at', 'sealing_key'),
  ]
  return `insert into "${schema}".solver_record (chain_id, solver, ${ACTS.join(', ')}, first_seen, last_seen)
    select ${chainId}, solver, ${ACTS.map((name) => `sum(${name})`).join(', ')}, min(at),
      max(at) filter (where own) from (${acts.join(' union all ')}) as acts group by solver`
}

const FORFEITS = {
  failures: `(reason = 'not_delivered')::int`,
  no_shows: `(reason = 'no_deposit')::int`,
}

function solverVolumes(schema: string, chainId: number): string {
  const moved = [
    `select solver, token_b as token, amount_b as delivered, 0::numeric as paid_out, 0::numeric as forfeited from "${schema}".delivery`,
    `select solver, token_a, 0, payout, 0 from "${schema}".intent where phase = 'completed'`,
    `select solver, token, 0, 0, amount from "${schema}".forfeit`,
  ]
  return `insert into "${schema}".solver_volume (chain_id, solver, token, delivered, paid_out, forfeited)
    select ${chainId}, solver, token, sum(delivered), sum(paid_out), sum(forfeited)
    from (${moved.join(' union all ')}) as moved group by solver, token`
}

/** Counted events of a chain's intents, each with its moment and what it adds. */
function countedEvents(schema: string, plan: string): string {
  const counted = (
    moment: string,
    { seconds = 'null::bigint', ...given }: Record<string, string>,
    from: string,
  ) =>
    `select ${PAIR}, ${moment} as at, ${orZero(COUNTS, given)}, ${seconds} as seconds from ${from}`
  const intents = `"${schema}".intent`
  const completed = {
    completed: '1',
    completed_volume_a: 'amount_a',
    completed_volume_b: 'winning_amount_b',
    fees: 'fee',
    rewards: 'reward',
    seconds: 'settled_at - created_at',
  }
  const bids = `${plan}, generate_series(1, bid_count) as i`
  return [
    counted('created_at', { created: '1', created_volume_a: 'amount_a' }, intents),
    counted('(bids_from + 2 + 6 * (i - 1))', { bids: '1' }, bids),
    counted('settled_at', completed, `${intents} where phase = 'completed'`),
    counted('cancelled_at', { cancelled: '1' }, `${intents} where phase = 'cancelled'`),
    counted('refunded_at', { expired: '1' }, `${intents} where phase = 'expired'`),
    counted('refunded_at', { failed: '1' }, `${intents} where phase = 'failed'`),
  ].join(' union all ')
}

const COUNTS = [
  ...['created', 'bids', 'completed', 'cancelled', 'expired', 'failed', 'created_volume_a'],
  ...['completed_volume_a', 'completed_volume_b', 'fees', 'rewards'],
]

const PAIR = 'source_chain_id, dest_chain_id, token_a, token_b'

/** The pairs' statistics by day or by hour: counts and sums, senders, completion times. */
function pairPeriods(
  schema: string,
  plan: string,
  { table, period, seconds }: { table: string; period: string; seconds: number },
): string {
  const created = `select ${PAIR}, sender, (created_at / ${seconds})::int as ${period},
      row_number() over (partition by source_chain_id, sender, created_at / ${seconds} order by created_at, intent_id) as of_chain,
      row_number() over (partition by ${PAIR}, sender, created_at / ${seconds} order by created_at, intent_id) as of_pair
    from "${schema}".intent`
  return `insert into "${schema}".${table} (${PAIR}, ${period}, ${COUNTS.join(', ')}, senders, senders_of_chain, completion_times)
    with counted as (select *, (at / ${seconds})::int as ${period} from (${countedEvents(schema, plan)}) as events),
    sums as (select ${PAIR}, ${period}, ${COUNTS.map((name) => `sum(${name}) as ${name}`).join(', ')}
      from counted group by ${PAIR}, ${period}),
    seen as (select ${PAIR}, ${period}, count(*) filter (where of_pair = 1) as senders,
      count(*) filter (where of_chain = 1) as senders_of_chain from (${created}) as created group by ${PAIR}, ${period}),
    times as (${histograms(`${PAIR}, ${period}`, 'counted')})
    select ${PAIR}, ${period}, ${COUNTS.join(', ')}, coalesce(senders, 0), coalesce(senders_of_chain, 0),
      coalesce(completion_times, '{}')
    from sums left join seen using (${PAIR}, ${period}) left join times using (${PAIR}, ${period})`
}

/** Completion times of a relation with a column `seconds`, as the reducer keeps them (src/projection/completionTimes.ts). */
function histograms(key: string, relation: string): string {
  const octave = 'floor(log(2, seconds))::int - 4'
  const bucket = `case when seconds < 32 then seconds else 16 * (${octave}) + (seconds >> (${octave})) end`
  return `select ${key}, jsonb_object_agg(bucket::text, n) as completion_times
    from (select ${key}, ${bucket} as bucket, count(*) as n from ${relation}
          where seconds is not null group by ${key}, bucket) as buckets group by ${key}`
}

function senderDays(schema: string, { table, key }: { table: string; key: string }): string {
  return `insert into "${schema}".${table} (${key}, day, sender, created, last_hour)
    select ${key}, (created_at / 86400)::int, sender, count(*), (max(created_at) / 3600)::int
    from "${schema}".intent group by ${key}, created_at / 86400, sender`
}

function solverDays(schema: string, chainId: number): string {
  const sums = [...ACTS, 'delivered', 'settled_volume', 'fees', 'paid_out', 'forfeited']
  const act = (
    [token, moment]: [token: string, moment: string],
    { seconds = 'null::bigint', ...given }: Record<string, string>,
    from: string,
  ) => `select solver, ${token} as token, ${moment} as at, ${orZero(sums, given)}, ${seconds} as seconds
      from ${from}`
  const intents = `"${schema}".intent`
  const settled = {
    settlements: '1',
    settled_volume: 'amount_a',
    fees: 'fee',
    paid_out: 'payout',
    seconds: 'settled_at - created_at',
  }
  const bids = `(select b.solver, i.token_a, b.bid_at
      from "${schema}".bid b join ${intents} i using (source_chain_id, intent_id)) as bids`
  const acts = [
    act(['token_a', 'bid_at'], { bids: '1' }, bids),
    act(['token_a', 'deposited_at'], { wins: '1' }, `${intents} where solver is not null`),
    act(['token_a', 'settled_at'], settled, `${intents} where phase = 'completed'`),
    act(['token', 'forfeited_at'], { ...FORFEITS, forfeited: 'amount' }, `"${schema}".forfeit`),
    act(
      ['token_b', 'solved_at'],
      { deliveries: '1', delivered: 'amount_b' },
      `"${schema}".delivery`,
    ),
  ]
  return `insert into "${schema}".solver_day (chain_id, solver, token, day, ${sums.join(', ')}, completion_times)
    with acts as (select *, (at / 86400)::int as day from (${acts.join(' union all ')}) as acts),
    times as (${histograms('solver, token, day', 'acts')})
    select ${chainId}, solver, token, day, ${sums.map((name) => `sum(${name})`).join(', ')},
      coalesce((array_agg(completion_times))[1], '{}')
    from acts left join times using (solver, token, day) group by solver, token, day`
}

/** The first stake less forfeits; locked for best bids and picked-up intents. */
function solverStakes(schema: string, chainId: number): string {
  return `insert into "${schema}".solver_stake (chain_id, solver, token, staked, locked)
    select ${chainId}, key.solver, token.token, ${STAKE} - coalesce(lost.amount, 0), coalesce(held.amount, 0)
    from "${schema}".sealing_key key cross join "${schema}".bridge_token token
    left join (select solver, token, sum(amount) as amount from "${schema}".forfeit group by 1, 2) lost
      on lost.solver = key.solver and lost.token = token.token
    left join (select best_bidder as solver, token_a as token, sum(div((amount_a + reward) * 500, 10000)) as amount
               from "${schema}".intent where phase in ('bidding', 'deposited') group by 1, 2) held
      on held.solver = key.solver and held.token = token.token`
}

function escrow(schema: string, chainId: number): string {
  const running = `phase in ('open', 'bidding', 'deposited')`
  return `insert into "${schema}".escrow (chain_id, token, open, stakes, credits, delivery_credits, fees)
    select ${chainId}, stake.token, coalesce(sum(amount_a + reward) filter (where ${running}), 0),
      min(stake.staked), 0, 0, coalesce(sum(fee) filter (where phase = 'completed'), 0)
    from (select token, sum(staked) as staked from "${schema}".solver_stake group by token) stake
    left join "${schema}".intent on token_a = stake.token group by stake.token`
}
