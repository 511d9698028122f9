import type { ChainHeads } from '../chains/chainHeads.ts'
import type { Db } from '../database/database.ts'
import { countUpTo } from './countUpTo.ts'
import type { IntentFilters } from './filterBranches.ts'

/** How many intents pass a filter, exactly, however long that takes. `heads` as for `listIntents`. */
export async function countIntents(
  db: Db,
  filter: IntentFilters,
  heads: ChainHeads,
): Promise<number> {
  return (await countUpTo(db, filter, heads, Number.POSITIVE_INFINITY)).count
}
