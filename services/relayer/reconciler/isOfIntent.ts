import { type RawBuilder, sql } from 'kysely'

/**
 * Condition on `app.transaction t`: its effect is about the intent with this id, which is text. It says so
 * twice, by the id within the effect and as a range of effects, so that either of the table's indexes leads
 * to the intent's rows alone.
 */
export function isOfIntent(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`split_part(t.effect, ':', 1) = ${id}
    and t.effect ~>=~ (${id} || ':') and t.effect ~<~ (${id} || ';')`
}
