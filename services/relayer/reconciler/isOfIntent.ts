import { type RawBuilder, sql } from 'kysely'

/**
 * Condition on `app.transaction t`: its effect belongs to the intent with this id (text). States it twice, by the
 * id within the effect and as a range of effects, so that either of the table's indexes finds only the intent's
 * rows.
 */
export function isOfIntent(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`split_part(t.effect, ':', 1) = ${id}
    and t.effect ~>=~ (${id} || ':') and t.effect ~<~ (${id} || ';')`
}
