import type { ClientBase } from 'pg'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { PonderInternals } from '../ponder/ponderInternals.ts'

export type ResumePoint = {
  /** First block that isn't in the tables. */
  from: number
  /** Ponder's checkpoint; null before the first one. */
  checkpoint: string | null
  hasTables: boolean
  /** Whether readers have seen the tables. Then triggers record every change. */
  isReady: boolean
}

const END_OF_BLOCK = /9{33}$/

/** Reads where the fold of a schema resumes: after the final block of the last fold or Ponder run. */
export async function readResumePoint(
  client: ClientBase,
  { chain, schema, ponder }: { chain: ChainConfig; schema: string; ponder: PonderInternals },
): Promise<ResumePoint> {
  const { rows: projections } = await client.query(
    'SELECT ready_at IS NOT NULL AS is_ready FROM app.projection WHERE schema_name = $1',
    [schema],
  )
  if (!projections[0]) throw new Error(`${schema} is not registered`)
  const isReady: boolean = projections[0].is_ready
  const { rowCount } = await client.query(`SELECT 1 FROM "${schema}"._ponder_meta`)
  const { rows } = await client.query<{ finalized: string }>(
    `SELECT finalized_checkpoint AS finalized FROM "${schema}"._ponder_checkpoint
      WHERE chain_id = $1`,
    [chain.chainId],
  )
  const checkpoint = rows[0]?.finalized ?? null
  const shared = { checkpoint, hasTables: rowCount !== 0, isReady }
  if (checkpoint === null) return { from: chain.startBlock, ...shared }
  const block = Number(ponder.decodeCheckpoint(checkpoint).blockNumber)
  const next = END_OF_BLOCK.test(checkpoint) ? block + 1 : block
  return { from: Math.max(next, chain.startBlock), ...shared }
}
