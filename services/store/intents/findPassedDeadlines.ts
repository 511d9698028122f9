import { sql } from 'kysely'
import type { BridgeTerms } from '../../../src/intent/bridgeTerms.ts'
import type { Db } from '../database/openDatabase.ts'
import type { IntentKey } from './storedIntent.ts'

/** An interval of a chain's time in unix seconds, without `from` and with `to`. */
type ClockStep = { chainId: number; from: number; to: number; terms: BridgeTerms | null }

/**
 * Finds up to `limit` intents whose record changes in the interval without an event, because a deadline of their source or
 * destination chain passes.
 */
export async function findPassedDeadlines(
  db: Db,
  { chainId, from, to, terms }: ClockStep,
  limit: number,
): Promise<IntentKey[]> {
  const within = (moment: string) =>
    sql`(${sql.raw(moment)} > ${from}::bigint and ${sql.raw(moment)} <= ${to}::bigint)`
  // pickup_deadline is two windows after end_time, so end_time, which is indexed, bounds it.
  const earliest = from - 2 * (terms?.pickupWindow ?? 0)
  const grace = terms?.settlementGrace ?? 0
  const { rows } = await sql<IntentKey>`
    select source_chain_id as "sourceChainId", intent_id as "intentId" from cairn.intent
    where source_chain_id = ${chainId}::bigint and phase in ('open', 'bidding')
      and end_time > ${earliest}::bigint and end_time <= ${to}::bigint
      and (${within('end_time')} or phase = 'bidding'
        and (${within('pickup_deadline')} or ${within('(end_time + pickup_deadline) / 2')}))
    union
    select source_chain_id, intent_id from cairn.intent
    where phase = 'deposited' and (dest_chain_id = ${chainId}::bigint and ${within('fill_deadline')}
      or source_chain_id = ${chainId}::bigint and ${within(`fill_deadline + ${Number(grace)}`)})
    limit ${limit}`.execute(db)
  return rows
}
