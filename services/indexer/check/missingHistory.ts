import type { Pool } from 'pg'

/** What a former index of a chain knows and its successor doesn't. */
export type MissingHistory = {
  /** Events of blocks that were final for the former. */
  missing: number
  /** All such events. */
  of: number
}

/**
 * Compares two indexes of a chain, event by event, as far as the former one took the chain for final.
 *
 * @returns null when the former has no events to compare: it never got so far, or is of a program that
 *   kept them otherwise
 */
export async function missingHistory(
  pool: Pool,
  { chainId, former, successor }: { chainId: number; former: string; successor: string },
): Promise<MissingHistory | null> {
  const { rows: known } = await pool.query(
    `select to_regclass(format('%I.event', $1::text)) is not null as "hasEvents",
       to_regclass(format('%I._ponder_checkpoint', $1::text)) is not null as "hasCheckpoint"`,
    [former],
  )
  if (!known[0].hasEvents) return null
  const upTo = known[0].hasCheckpoint
    ? `(select max(app.checkpoint_block(finalized_checkpoint)) from "${former}"._ponder_checkpoint)`
    : 'null'
  const { rows } = await pool.query(
    `select count(*)::int as of, count(*) filter (where not exists (
         select from "${successor}".event e where e.chain_id = f.chain_id
           and e.block_number = f.block_number and e.log_index = f.log_index
           and e.block_hash = f.block_hash))::int as missing
     from "${former}".event f
     where f.chain_id = $1 and f.block_number <= coalesce(${upTo}, f.block_number)`,
    [chainId],
  )
  return rows[0]
}
