import { jsonRow } from './columns.ts'

/** Restricts a row to what counts, by the columns that place it; `true` when everything does. */
export type Within = (columns: { chain: string; block: string; time: string }) => string

const EVERYTHING: Within = () => 'true'

/** Events of the source chain that move an intent, bids apart. Naming them lets the index skip the others. */
const MOVES = [
  'IntentCreated',
  'IntentAnchored',
  'BlobAppended',
  'SolverDeposited',
  'IntentSettled',
  'IntentCancelled',
  'IntentRefunded',
]

/**
 * The events that an intent's story is told from, as a JSON array by time, for a row aliased `intent`: without
 * strangers' deliveries and without bids except the first and the last, found through `bid` and
 * `delivery`. So it is bounded: anyone may outbid by one unit or claim a delivery as often as gas lasts.
 * Of recovery blobs is kept whether there is one.
 */
export function storyEventsSql({
  within = EVERYTHING,
  lastBid = false,
}: {
  within?: Within
  lastBid?: boolean
} = {}): string {
  const bids = [bidSql('asc', within), ...(lastBid ? [bidSql('desc', within)] : [])]
  return `coalesce((
  select json_agg(${jsonRow('event', 'e', { args: BLOB_CUT })} order by ${IN_TIME}) from (
    select e.* from cairn.event e where e.source_chain_id = intent.source_chain_id
      and e.intent_id = intent.intent_id and e.type = any(array['${MOVES.join("', '")}'])
      and ${within({ chain: 'e.chain_id', block: 'e.block_number', time: 'e.block_timestamp' })}
    union all (${bids.join(' union ')})
    union all ${deliveredSql(within)}
  ) e), '[]')`
}

/** The highest index of a bid that counts: how many there were. */
export function bidCountSql(within: Within): string {
  return `coalesce((select b.bid_index from cairn.bid b where ${ofIntent('b')}
    and ${within(BID_PLACE)} order by b.bid_index desc limit 1), 0)`
}

const IN_TIME = 'e.block_timestamp, e.chain_id, e.block_number, e.log_index'
const BLOB_CUT = `case when e.args ? 'encryptedBlob'
  then e.args || jsonb_build_object('encryptedBlob', left(e.args ->> 'encryptedBlob', 4)) else e.args end`
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

/** Events of the winner's deliveries on the destination chain: one at most, by the contract. */
function deliveredSql(within: Within): string {
  return `(select e.* from cairn.delivery d
    join cairn.event e on e.chain_id = d.dest_chain_id and e.block_number = d.solved_block
      and e.type = 'IntentSolved' and e.args ->> 'chain2IntentId' = d.chain2_intent_id::text
    where ${ofIntent('d')} and d.solver = intent.solver and d.dest_chain_id = intent.dest_chain_id
      and ${within({ chain: 'd.dest_chain_id', block: 'd.solved_block', time: 'd.solved_at' })})`
}
