import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import { withinSql } from '../asOf/cutoffSql.ts'
import { jsonRow } from '../database/columnSql.ts'

/**
 * Events of the source chain that change an intent, except bids and appended blobs. Listing them lets the index skip the
 * others.
 */
const STATE_EVENTS = [
  'IntentCreated',
  'TrancheFired',
  'IntentAnchored',
  'SolverDeposited',
  'RecipientsAsked',
  'RecipientsRevealed',
  'BidForfeited',
  'IntentSettled',
  'IntentCancelled',
  'IntentRefunded',
]

/** Limit on appended blobs in a timeline, since senders can append any number. */
const BLOB_LIMIT = 200

/**
 * The events of an intent's timeline as a JSON array by time, for a row aliased `intent`: of bids only the first and last, of
 * deliveries only the winner's. So it is bounded, although anyone may outbid by one unit, deliver as often as gas lasts, or
 * repeat an old append.
 *
 * @param cutoffs limit the events; default: none
 * @param toFold includes the last bid and whole blobs, which folding needs; otherwise blobs are cut to show only whether
 *   there is one
 */
export function timelineEventsSql(cutoffs?: Cutoffs, toFold = false): string {
  const bids = [bidSql('asc', cutoffs), ...(toFold ? [bidSql('desc', cutoffs)] : [])]
  const counts = withinSql('event', 'e', cutoffs)
  return `coalesce((
  select json_agg(${jsonRow('event', 'e', { args: toFold ? 'e.args' : BLOB_CUT })} order by ${IN_TIME}) from (
    select e.* from cairn.event e where ${ofIntent('e')} and e.type = any(array['${STATE_EVENTS.join("', '")}'])
      and ${counts}
    union all (select e.* from cairn.event e where ${ofIntent('e')} and e.type = 'BlobAppended'
      and e.block_timestamp < intent.firm_at and ${counts}
      order by e.block_number, e.log_index limit ${BLOB_LIMIT})
    union all (${bids.join(' union ')})
    union all ${deliveredSql(cutoffs, toFold)}
  ) e), '[]')`
}

/** The number of bids, by the highest bid index within the cutoffs. */
export function bidCountSql(cutoffs: Cutoffs): string {
  return `coalesce((select b.bid_index from cairn.bid b where ${ofIntent('b')}
    and ${withinSql('bid', 'b', cutoffs)} order by b.bid_index desc limit 1), 0)`
}

const IN_TIME = 'e.block_timestamp, e.chain_id, e.block_number, e.log_index'
const BLOB_CUT = `case when e.args ? 'encryptedBlob'
  then e.args || jsonb_build_object('encryptedBlob', left(e.args ->> 'encryptedBlob', 4))
  when e.args ? 'sealedRecipients' then jsonb_build_object('intentId', e.args ->> 'intentId', 'sealedRecipients', '0x')
  else e.args end`

function ofIntent(alias: string): string {
  return `${alias}.source_chain_id = intent.source_chain_id and ${alias}.intent_id = intent.intent_id`
}

/** The event of the first or last bid. Amounts only rise, so an amount identifies a bid of an intent. */
function bidSql(direction: 'asc' | 'desc', cutoffs: Cutoffs | undefined): string {
  return `(select e.* from (
      select * from cairn.bid b where ${ofIntent('b')} and ${withinSql('bid', 'b', cutoffs)}
      order by b.bid_index ${direction} limit 1) b
    join cairn.event e on e.chain_id = b.source_chain_id and e.block_number = b.block_number
      and e.type = 'BidPlaced' and e.intent_id = b.intent_id and e.args ->> 'amountB' = b.amount_b::text)`
}

/**
 * Events of the winner's delivery: what it paid, and what the token refused. For folding, also of the delivery that counted
 * before the settlement.
 */
function deliveredSql(cutoffs: Cutoffs | undefined, toFold: boolean): string {
  const counts = withinSql('delivery', 'd', cutoffs)
  const counting = winnersDeliverySql(counts)
  const before = toFold ? ` union (${winnersDeliverySql(counts, false)})` : ''
  return `(select e.* from ((${counting})${before}) d
    join cairn.event e on e.chain_id = d.dest_chain_id and e.block_number = d.solved_block
      and e.type in ('IntentSolved', 'DeliveryCredited')
      and e.args ->> 'chain2IntentId' = d.chain2_intent_id::text)`
}

/**
 * The winner's delivery (`findWinnersDelivery`) as a row of `cairn.delivery`, for a row aliased `intent`: the one that the
 * settlement names, else the winner's first valid one, else its first. At most one, however often the winner delivers.
 *
 * @param condition trusted SQL on a row aliased `d`
 * @param knowsSettlement false: as before the settlement
 */
export function winnersDeliverySql(condition = 'true', knowsSettlement = true): string {
  const named = 'd.chain2_intent_id is distinct from intent.chain2_intent_id, '
  return `select d.* from cairn.delivery d
  where d.source_chain_id = intent.source_chain_id and d.intent_id = intent.intent_id
    and d.solver = intent.solver and d.dest_chain_id = intent.dest_chain_id and ${condition}
  order by ${knowsSettlement ? named : ''}not (${IS_VALID}), d.chain2_intent_id
  limit 1`
}

/** `isValidDelivery` for the winner's deliveries on the right chain. */
const IS_VALID = `d.params_hash = intent.params_hash and d.token_b = intent.token_b
    and d.amount_b >= intent.winning_amount_b and d.solved_at < intent.fill_deadline`
