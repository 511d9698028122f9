import { planTable } from './planStatement.ts'
import { type SeedPlan, STAKE } from './seedPlan.ts'

/**
 * The statistics of one chain, summed up from the rows of `event`, `intent`, `bid` and `delivery`
 * that both chains' intents left in its schema.
 */
export function summaryStatements(plan: SeedPlan, chain: 0 | 1): string[] {
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

function solverRecords(schema: string, chainId: number): string {
  const acts = [
    `select solver, bid_at as at, true as own, 1 as bids, 0 as wins, 0 as deliveries, 0 as settlements, 0 as failures, 0 as no_shows from "${schema}".bid`,
    `select solver, deposited_at, true, 0, 1, 0, 0, 0, 0 from "${schema}".intent where solver is not null`,
    `select solver, solved_at, true, 0, 0, 1, 0, 0, 0 from "${schema}".delivery`,
    `select solver, settled_at, false, 0, 0, 0, 1, 0, 0 from "${schema}".intent where phase = 'completed'`,
    `select solver, forfeited_at, false, 0, 0, 0, 0, (reason = 'not_delivered')::int, (reason = 'no_deposit')::int
      from "${schema}".forfeit`,
    `select solver, set_at, true, 0, 0, 0, 0, 0, 0 from "${schema}".sealing_key`,
  ]
  return `insert into "${schema}".solver_record
      (chain_id, solver, bids, wins, deliveries, settlements, failures, no_shows, first_seen, last_seen)
    select ${chainId}, solver, sum(bids), sum(wins), sum(deliveries), sum(settlements), sum(failures), sum(no_shows), min(at),
      max(at) filter (where own) from (${acts.join(' union all ')}) as acts group by solver`
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
  const bids = `select p.source_chain_id, p.dest_chain_id, p.token_a, p.token_b,
    (bids_from + 2 + 6 * (i - 1)) as at, 0, 1, 0, 0, 0, 0, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric, null::bigint
    from ${plan} p, generate_series(1, bid_count) as i`
  const counted = (moment: string, numbers: string, condition: string) =>
    `select source_chain_id, dest_chain_id, token_a, token_b, ${moment}, ${numbers} from "${schema}".intent where ${condition}`
  const parts = [
    `select source_chain_id, dest_chain_id, token_a, token_b, created_at as at, 1 as created, 0 as bids,
      0 as completed, 0 as cancelled, 0 as expired, 0 as failed, amount_a as created_volume_a,
      0::numeric as completed_volume_a, 0::numeric as completed_volume_b, 0::numeric as fees, 0::numeric as rewards,
      null::bigint as seconds
      from "${schema}".intent`,
    bids,
    counted(
      'settled_at',
      '0, 0, 1, 0, 0, 0, 0, amount_a, winning_amount_b, fee, reward, settled_at - created_at',
      `phase = 'completed'`,
    ),
    counted('cancelled_at', '0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, null', `phase = 'cancelled'`),
    counted('refunded_at', '0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, null', `phase = 'expired'`),
    counted('refunded_at', '0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, null', `phase = 'failed'`),
  ]
  return parts.join(' union all ')
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
  const zero = '0::numeric'
  const act = (
    what: string,
    { counts, sums = [zero, zero, zero, zero, zero], seconds = 'null::bigint' }: Act,
    from: string,
  ) => `select ${what}, ${counts.join(', ')}, ${sums.join(', ')}, ${seconds} from ${from}`
  const intents = `"${schema}".intent`
  const acts = [
    act(
      'b.solver as solver, i.token_a as token, b.bid_at as at',
      {
        counts: [
          '1 as bids',
          '0 as wins',
          '0 as settlements',
          '0 as failures',
          '0 as no_shows',
          '0 as deliveries',
        ],
        sums: ['delivered', 'settled_volume', 'fees', 'paid_out', 'forfeited'].map(
          (name) => `${zero} as ${name}`,
        ),
        seconds: 'null::bigint as seconds',
      },
      `"${schema}".bid b join ${intents} i using (source_chain_id, intent_id)`,
    ),
    act(
      'solver, token_a, deposited_at',
      { counts: ['0', '1', '0', '0', '0', '0'] },
      `${intents} where solver is not null`,
    ),
    act(
      'solver, token_a, settled_at',
      {
        counts: ['0', '0', '1', '0', '0', '0'],
        sums: [zero, 'amount_a', 'fee', 'payout', zero],
        seconds: 'settled_at - created_at',
      },
      `${intents} where phase = 'completed'`,
    ),
    act(
      'solver, token, forfeited_at',
      {
        counts: [
          '0',
          '0',
          '0',
          `(reason = 'not_delivered')::int`,
          `(reason = 'no_deposit')::int`,
          '0',
        ],
        sums: [zero, zero, zero, zero, 'amount'],
      },
      `"${schema}".forfeit`,
    ),
    act(
      'solver, token_b, solved_at',
      { counts: ['0', '0', '0', '0', '0', '1'], sums: ['amount_b', zero, zero, zero, zero] },
      `"${schema}".delivery`,
    ),
  ]
  const sums = ['bids', 'wins', 'settlements', 'failures', 'no_shows', 'deliveries']
  sums.push('delivered', 'settled_volume', 'fees', 'paid_out', 'forfeited')
  return `insert into "${schema}".solver_day (chain_id, solver, token, day, ${sums.join(', ')}, completion_times)
    with acts as (select *, (at / 86400)::int as day from (${acts.join(' union all ')}) as acts),
    times as (${histograms('solver, token, day', 'acts')})
    select ${chainId}, solver, token, day, ${sums.map((name) => `sum(${name})`).join(', ')},
      coalesce((array_agg(completion_times))[1], '{}')
    from acts left join times using (solver, token, day) group by solver, token, day`
}

type Act = { counts: string[]; sums?: string[]; seconds?: string }

/** What was staked at the start, less what was forfeited; locked for best bids and for what was picked up. */
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
