import { type RawBuilder, sql } from 'kysely'

/** Whether a refund of intent `i` is due by this time, in unix seconds of its source chain. */
export function refundDueBy(time: RawBuilder<unknown>): RawBuilder<unknown> {
  const grace = sql`(select b.settlement_grace from cairn.bridge b where b.chain_id = i.source_chain_id)`
  return sql`(i.phase = 'open' and i.end_time <= ${time}
    or i.phase = 'bidding' and i.pickup_deadline <= ${time}
    or i.phase = 'deposited' and i.fill_deadline + ${grace} <= ${time})`
}
