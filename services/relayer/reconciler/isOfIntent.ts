import { sql } from 'kysely'

/**
 * Condition on `app.transaction t` beside the equality of `split_part(t.effect, ':', 1)`: it says the same as
 * a range of effects, so that either of the table's indexes leads to the intent's rows alone.
 */
export function isOfIntent(intentId: bigint) {
  return sql`t.effect ~>=~ ${`${intentId}:`} and t.effect ~<~ ${`${intentId};`}`
}
