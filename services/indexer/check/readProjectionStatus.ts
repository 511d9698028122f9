import type { Supervision } from '../chainSupervision.ts'

/** A chain's projection according to the database. */
export type ProjectionStatus = {
  state: 'backfilling' | 'live' | 'resuming'
  active: boolean
  isReady: boolean
  /** Head of the index and its final block; null before Ponder's first checkpoint. */
  block: number | null
  finalizedBlock: number | null
}

/** Reads the projection of the supervised schema; null if it no longer exists. */
export async function readProjectionStatus({
  pool,
  schema,
}: Supervision): Promise<ProjectionStatus | null> {
  const { rows } = await pool.query(
    `select state, active, ready_at is not null as is_ready,
       to_regclass(format('%I._ponder_checkpoint', schema_name)) is not null as has_checkpoint
     from app.projection where schema_name = $1`,
    [schema],
  )
  if (!rows[0]?.has_checkpoint) return null
  const checkpoint = await pool.query(
    `select app.checkpoint_block(latest_checkpoint) as block,
       app.checkpoint_block(finalized_checkpoint) as finalized from "${schema}"._ponder_checkpoint`,
  )
  const { block, finalized } = checkpoint.rows[0] ?? {}
  return {
    state: rows[0].state,
    active: rows[0].active,
    isReady: rows[0].is_ready,
    block: block == null ? null : Number(block),
    finalizedBlock: finalized == null ? null : Number(finalized),
  }
}
