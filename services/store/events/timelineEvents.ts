import { jsonRow } from '../database/columns.ts'
import { winnersDeliverySql } from '../intents/winnersDelivery.ts'

/** Restricts a row to what counts, by the columns that place it; `true` when everything does. */
type Within = (columns: { chain: string; block: string; time: string }) => string

const EVERYTHING: Within = () => 'true'

/**
 * Events of the source chain that move an intent, bids and appended blobs apart. Naming them lets the
 * index skip the others.
 */
const MOVES = [
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

/** Appended blobs that an intent's timeline has at most: senders may have theirs replaced again and again. */
const MOST_BLOBS = 200

/**
 * The events of an intent's timeline, as a JSON array by time, for a row aliased `intent`: without
 * strangers' deliveries and without bids except the first and the last, found through `bid` and
 * `delivery`. So it is bounded: anyone may outbid by one unit, claim a delivery as often as gas lasts, or
 * send an old append again once it no longer counts.
 *
 * @param toFold with the last bid and with whole blobs, as facts need them; else of blobs is kept
 *   whether there is one
 */
export function timelineEventsSql({
  within = EVERYTHING,
  toFold = false,
}: {
  within?: Within
  toFold?: boolean
} = {}): string {
  const bids = [bidSql('asc', within), ...(toFold ? [bidSql('desc', within)] : [])]
  return `coalesce((
  select json_agg(${jsonRow('event', 'e', { args: toFold ? 'e.args' : BLOB_CUT })} order by ${IN_TIME}) from (
    select e.* from cairn.event e where ${ofIntent('e')} and e.type = any(array['${MOVES.join("', '")}'])
      and ${within(EVENT_PLACE)}
    union all (select e.* from cairn.event e where ${ofIntent('e')} and e.type = 'BlobAppended'
      and e.block_timestamp < intent.firm_at and ${within(EVENT_PLACE)}
      order by e.block_number, e.log_index limit ${MOST_BLOBS})
    union all (${bids.join(' union ')})
    union all ${deliveredSql(within, toFold)}
  ) e), '[]')`
}

/** The highest index of a bid that counts: how many there were. */
export function bidCountSql(within: Within): string {
  return `coalesce((select b.bid_index from cairn.bid b where ${ofIntent('b')}
    and ${within(BID_PLACE)} order by b.bid_index desc limit 1), 0)`
}

const IN_TIME = 'e.block_timestamp, e.chain_id, e.block_number, e.log_index'
const BLOB_CUT = `case when e.args ? 'encryptedBlob'
  then e.args || jsonb_build_object('encryptedBlob', left(e.args ->> 'encryptedBlob', 4))
  when e.args ? 'sealedRecipients' then jsonb_build_object('intentId', e.args ->> 'intentId', 'sealedRecipients', '0x')
  else e.args end`
const EVENT_PLACE = { chain: 'e.chain_id', block: 'e.block_number', time: 'e.block_timestamp' }
const BID_PLACE = { chain: 'b.source_chain_id', block: 'b.block_number', time: 'b.bid_at' }

function ofIntent(alias: string): string {
  return `${alias}.source_chain_id = intent.source_chain_id and ${alias}.intent_id = intent.intent_id`
}

/** The event of the first or of the last bid. Amounts only rise, so within an intent they name a bid. */
function bidSql(direction: 'asc' | 'desc', within: Within): string {
  return `(select e.* from (
      select * from cairn.bid b where ${ofIntent('b')} and ${within(BID_PLACE)}
      order by b.bid_index ${direction} limit 1) b
    join cairn.event e on e.chain_id = b.source_chain_id and e.block_number = b.block_number
      and e.type = 'BidPlaced' and e.intent_id = b.intent_id and e.args ->> 'amountB' = b.amount_b::text)`
}

/**
 * Events of the delivery that counts: what it paid, and what the token refused of it. To fold, also of the
 * one that counted before the settlement.
 */
function deliveredSql(within: Within, toFold: boolean): string {
  const place = { chain: 'd.dest_chain_id', block: 'd.solved_block', time: 'd.solved_at' }
  const counting = winnersDeliverySql(within(place))
  const before = toFold ? ` union (${winnersDeliverySql(within(place), false)})` : ''
  return `(select e.* from ((${counting})${before}) d
    join cairn.event e on e.chain_id = d.dest_chain_id and e.block_number = d.solved_block
      and e.type in ('IntentSolved', 'DeliveryCredited')
      and e.args ->> 'chain2IntentId' = d.chain2_intent_id::text)`
}
