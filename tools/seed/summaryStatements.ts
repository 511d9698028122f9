import { planTable } from './planStatement.ts'
import type { SeedPlan } from './seedPlan.ts'

/**
 * The statistics of one chain, summed up from the rows of `event`, `intent`, `bid` and `delivery`
 * that both chains' intents left in its schema.
 */
export function summaryStatements(plan: SeedPlan, chain: 0 | 1): string[] {
  const { schema, chainId } = plan.chains[chain]
  return [
    solverRecords(schema, chainId),
    solverVolumes(schema, chainId),
    pairDays(schema, planTable(chain)),
    escrow(schema, chainId),
  ]
}

function solverRecords(schema: string, chainId: number): string {
  const acts = [
    `select solver, bid_at as at, true as own, 1 as bids, 0 as wins, 0 as deliveries, 0 as settlements, 0 as failures from "${schema}".bid`,
    `select solver, deposited_at, true, 0, 1, 0, 0, 0 from "${schema}".intent where solver is not null`,
    `select solver, solved_at, true, 0, 0, 1, 0, 0 from "${schema}".delivery`,
    `select solver, settled_at, false, 0, 0, 0, 1, 0 from "${schema}".intent where phase = 'completed'`,
    `select solver, refunded_at, false, 0, 0, 0, 0, 1 from "${schema}".intent where phase = 'failed'`,
  ]
  return `insert into "${schema}".solver_record
      (chain_id, solver, bids, wins, deliveries, settlements, failures, first_seen, last_seen)
    select ${chainId}, solver, sum(bids), sum(wins), sum(deliveries), sum(settlements), sum(failures), min(at),
      max(at) filter (where own) from (${acts.join(' union all ')}) as acts group by solver`
}

function solverVolumes(schema: string, chainId: number): string {
  const moved = [
    `select solver, token_b as token, amount_b as delivered, 0::numeric as paid_out, 0::numeric as slashed from "${schema}".delivery`,
    `select solver, token_a, 0, payout, 0 from "${schema}".intent where phase = 'completed'`,
    `select solver, token_a, 0, 0, slashed_bond from "${schema}".intent where phase = 'failed'`,
  ]
  return `insert into "${schema}".solver_volume (chain_id, solver, token, delivered, paid_out, slashed)
    select ${chainId}, solver, token, sum(delivered), sum(paid_out), sum(slashed)
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

function escrow(schema: string, chainId: number): string {
  const running = `phase in ('open', 'bidding', 'deposited')`
  return `insert into "${schema}".escrow (chain_id, token, open, bonds, credits, fees)
    select ${chainId}, token_a, coalesce(sum(amount_a + reward) filter (where ${running}), 0),
      coalesce(sum(bond) filter (where phase = 'deposited'), 0), 0,
      coalesce(sum(fee) filter (where phase = 'completed'), 0)
    from "${schema}".intent group by token_a`
}
