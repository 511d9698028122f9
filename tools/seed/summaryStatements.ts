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
    pairDays(schema, planTable(chain)),
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

function pairDays(schema: string, plan: string): string {
  const bids = `select p.source_chain_id, p.dest_chain_id, p.token_a, p.token_b,
    (bids_from + 2 + 6 * (i - 1)) as at, 0, 1, 0, 0, 0, 0, 0::numeric, 0::numeric, 0::numeric, 0::numeric, 0::numeric
    from ${plan} p, generate_series(1, bid_count) as i`
  const counted = (moment: string, numbers: string, condition: string) =>
    `select source_chain_id, dest_chain_id, token_a, token_b, ${moment}, ${numbers} from "${schema}".intent where ${condition}`
  const parts = [
    `select source_chain_id, dest_chain_id, token_a, token_b, created_at as at, 1 as created, 0 as bids,
      0 as completed, 0 as cancelled, 0 as expired, 0 as failed, amount_a as created_volume_a,
      0::numeric as completed_volume_a, 0::numeric as completed_volume_b, 0::numeric as fees, 0::numeric as rewards
      from "${schema}".intent`,
    bids,
    counted(
      'settled_at',
      '0, 0, 1, 0, 0, 0, 0, amount_a, winning_amount_b, fee, reward',
      `phase = 'completed'`,
    ),
    counted('cancelled_at', '0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0', `phase = 'cancelled'`),
    counted('refunded_at', '0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0', `phase = 'expired'`),
    counted('refunded_at', '0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0', `phase = 'failed'`),
  ]
  const sums = [
    'created',
    'bids',
    'completed',
    'cancelled',
    'expired',
    'failed',
    'created_volume_a',
  ]
  sums.push('completed_volume_a', 'completed_volume_b', 'fees', 'rewards')
  return `insert into "${schema}".pair_day
      (source_chain_id, dest_chain_id, token_a, token_b, day, ${sums.join(', ')})
    select source_chain_id, dest_chain_id, token_a, token_b, (at / 86400)::int,
      ${sums.map((name) => `sum(${name})`).join(', ')}
    from (${parts.join(' union all ')}) as counted group by 1, 2, 3, 4, 5`
}

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
