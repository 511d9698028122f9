import { BLOB_KIND, foldBlobsHash, NO_BLOBS } from '../../src/event/foldBlobsHash.ts'
import { hashSql, KIND } from './eventKinds.ts'
import { blockSql, planTable } from './intentPlanStatements.ts'
import { IS_TRANCHE, orderIdSql } from './orderStatements.ts'
import { QUORUM, type SeedPlan, WINDOWS } from './seedPlan.ts'
import { SEED_SCHEMA } from './seedSqlFunctions.ts'

/** A stand-in for a recovery blob: real ones have 512 bytes, which would be half of the database. */
export const BLOB = '0x01'

/** The blobs' hash of an anchored intent: every seeded blob is the same. */
const ANCHORED_BLOBS = foldBlobsHash(NO_BLOBS, BLOB_KIND.anchor, BLOB)

/** The rows of one chain's `intent`, `bid` and `delivery`: its own intents, the other's deliveries. */
export function buildIntentStatements(plan: SeedPlan, chain: 0 | 1): string[] {
  const other = chain === 0 ? 1 : 0
  return [
    intentRows(plan, chain),
    bidRows(plan, chain),
    forfeitRows(plan, chain),
    deliveryRows(plan, other),
  ]
}

function intentRows(plan: SeedPlan, chain: 0 | 1): string {
  const { schema, chainId } = plan.chains[chain]
  const hash = (kind: number, moment: string) =>
    `case when ${moment} is not null then ${hashSql(chainId, kind)} end`
  const last = `greatest(created_at, anchored_at, cancelled_at, deposited_at, settled_at, refunded_at,
    case when bid_count > 0 then bids_from + 2 + 6 * (bid_count - 1) end)`
  return `insert into "${schema}".intent (source_chain_id, intent_id, params_hash, phase, sender, dest_chain_id, token_a,
      token_b, amount_a, expected_amount_b, reward, end_time, firm_at, pickup_deadline, create_tx_hash, created_at,
      created_block, quorum, order_id, tranche_index, fee_bps, recipient_class, anchor_tx_hash, anchored_at, blob_count, blobs_hash, bid_count, best_bid, best_bidder,
      solver, winning_amount_b, bond, fill_deadline, deposit_tx_hash, deposited_at, settle_tx_hash, settled_at,
      payout, fee, chain2_intent_id, attester, cancel_tx_hash, cancelled_at,
      refund_tx_hash, refunded_at, refund_amount, forfeited_bond, updated_block, updated_at)
    select source_chain_id, intent_id, params_hash, ${PHASE}, sender, dest_chain_id, token_a, token_b, amount_a,
      expected_amount_b, reward, end_time, firm_at, end_time + ${2 * WINDOWS.pickup}, ${hashSql(chainId, KIND.created)},
      created_at, ${blockSql(plan, 'created_at')}, ${QUORUM},
      case when ${IS_TRANCHE} then ${orderIdSql(chainId)} end, case when ${IS_TRANCHE} then 0 end,
      case when anchored_at is not null then fee_bps end,
      case when anchored_at is not null then recipient_class end,
      ${hash(KIND.anchored, 'anchored_at')}, anchored_at, (anchored_at is not null)::int,
      case when anchored_at is not null then '${ANCHORED_BLOBS}' else '${NO_BLOBS}' end, bid_count,
      offers[bid_count], bidders[bid_count],
      case when deposited_at is not null then bidders[bid_count] end,
      case when deposited_at is not null then offers[bid_count] end,
      case when deposited_at is not null then bond end, fill_deadline,
      ${hash(KIND.deposited, 'deposited_at')}, deposited_at, ${hash(KIND.settled, 'settled_at')}, settled_at,
      case when settled_at is not null then amount_a - fee + reward end,
      case when settled_at is not null then fee end,
      case when settled_at is not null then ${SEED_SCHEMA}.packed(dest_chain_id, n) end,
      case when settled_at is not null then ${SEED_SCHEMA}.account('attester', 0) end,
      ${hash(KIND.cancelled, 'cancelled_at')}, cancelled_at, ${hash(KIND.refunded, 'refunded_at')}, refunded_at,
      case when coalesce(cancelled_at, refunded_at) is not null then amount_a + reward end,
      case when refunded_at is not null then case when bid_count > 0 then bond else 0 end end,
      ${blockSql(plan, last)}, ${last}
    from ${planTable(chain)}`
}

const PHASE = `case when settled_at is not null then 'completed' when cancelled_at is not null then 'cancelled'
  when refunded_at is not null then case when deposited_at is not null then 'failed' else 'expired' end
  when deposited_at is not null then 'deposited' when bid_count > 0 then 'bidding' else 'open' end`

function bidRows(plan: SeedPlan, chain: 0 | 1): string {
  const { schema, chainId } = plan.chains[chain]
  const moment = 'bids_from + 2 + 6 * (i - 1)'
  return `insert into "${schema}".bid
      (source_chain_id, intent_id, bid_index, solver, amount_b, bid_tx_hash, bid_at, block_number)
    select source_chain_id, intent_id, i, bidders[i], offers[i], ${hashSql(chainId, `${KIND.bid} + i - 1`)},
      ${moment}, ${blockSql(plan, moment)}
    from ${planTable(chain)}, generate_series(1, bid_count) as i`
}

/** A solver forfeits its lock when the intent is refunded. */
function forfeitRows(plan: SeedPlan, chain: 0 | 1): string {
  const { schema, chainId } = plan.chains[chain]
  return `insert into "${schema}".forfeit (source_chain_id, intent_id, solver, token, amount, reason,
      forfeit_tx_hash, forfeited_at, block_number)
    select source_chain_id, intent_id, bidders[bid_count], token_a, bond,
      case when deposited_at is null then 'no_deposit' else 'not_delivered' end,
      ${hashSql(chainId, KIND.refunded)}, refunded_at, ${blockSql(plan, 'refunded_at')}
    from ${planTable(chain)} where refunded_at is not null and bid_count > 0`
}

/** The deliveries of `chain`'s intents, on the other chain. */
function deliveryRows(plan: SeedPlan, chain: 0 | 1): string {
  const { chainId } = plan.chains[chain]
  const { schema } = plan.chains[chain === 0 ? 1 : 0]
  return `insert into "${schema}".delivery (dest_chain_id, chain2_intent_id, source_chain_id, intent_id, params_hash, solver,
      token_b, amount_b, credited, solve_tx_hash, solved_at, solved_block)
    select dest_chain_id, ${SEED_SCHEMA}.packed(dest_chain_id, n), source_chain_id, intent_id, params_hash, bidders[bid_count],
      token_b, offers[bid_count], 0, ${hashSql(chainId, KIND.solved)}, solved_at, ${blockSql(plan, 'solved_at')}
    from ${planTable(chain)} where solved_at is not null`
}
