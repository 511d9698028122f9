import { type RawBuilder, sql } from 'kysely'
import type { IntentKey } from './storedIntent.ts'

/** The distinct keys as a relation `requested (chain, id)`. */
export function requestedIntents(keys: readonly IntentKey[]): RawBuilder<unknown> {
  const chains = keys.map((key) => key.sourceChainId)
  const ids = keys.map((key) => String(key.intentId))
  return sql`(select distinct * from unnest(${chains}::bigint[], ${ids}::numeric[]) as key (chain, id)) as requested`
}
