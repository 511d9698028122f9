import type { ClientBase } from 'pg'
import { type BlockRange, uncovered, union } from './blockRange.ts'
import type { CacheFragment } from './ponderInternals.ts'

/**
 * The parts of `whole` that the cache doesn't vouch for, for at least one fragment.
 *
 * Ponder keeps a half-open upper bound in a closed range (`[0,101]` for blocks 0 to 100), so that ranges
 * which follow each other merge; the bound is taken back here.
 */
export async function missingRanges(
  client: ClientBase,
  whole: BlockRange,
  fragments: readonly CacheFragment[],
): Promise<BlockRange[]> {
  const ids = [...new Set(fragments.flatMap(({ adjacentIds }) => adjacentIds))]
  const { rows } = await client.query<{ id: string; low: string; high: string }>(
    `SELECT fragment_id AS id, lower(piece)::text AS low, upper(piece)::text AS high
       FROM ponder_sync.intervals, unnest(blocks) AS piece
      WHERE fragment_id = ANY($1)`,
    [ids],
  )
  const coveredBy = new Map<string, BlockRange[]>()
  for (const { id, low, high } of rows) {
    const range = { from: Number(low), to: Number(high) - 1 }
    coveredBy.set(id, [...(coveredBy.get(id) ?? []), range])
  }
  return union(
    fragments.flatMap(({ adjacentIds }) =>
      uncovered(
        whole,
        adjacentIds.flatMap((id) => coveredBy.get(id) ?? []),
      ),
    ),
  )
}
