import { type RawBuilder, sql } from 'kysely'

/**
 * SQL: whether a row of `app.bundle` is of an intent that was anchored with something else, and can
 * still come to matter. So it is where a reorg gave the intent an id for which an anchor was under way.
 * A replacement that is on chain already counts instead.
 *
 * @param bundle alias of `app.bundle`
 */
export function isBundleMissing(bundle: RawBuilder<unknown>): RawBuilder<boolean> {
  const ofIntent = (table: RawBuilder<unknown>) =>
    sql`${table}.source_chain_id = ${bundle}.source_chain_id
      and ${table}.intent_id = ${bundle}.intent_id`
  return sql<boolean>`exists (
      select from cairn.intent i where ${ofIntent(sql`i`)}
        and i.phase in ('open', 'bidding') and i.fee_bps is not null)
    and not exists (
      select from cairn.event e where ${ofIntent(sql`e`)}
        and e.type in ('IntentCreated', 'IntentAnchored', 'BlobAppended')
        and e.args ->> 'encryptedBlob' in (
          select '0x' || encode(${bundle}.sealed, 'hex')
          union all
          select '0x' || encode(later.sealed, 'hex') from app.appended_blob later
          where ${ofIntent(sql`later`)} and later.purpose = 'bundle'))`
}
