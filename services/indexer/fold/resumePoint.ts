import type { ClientBase } from 'pg'
import type { ChainConfig } from '../../config/chains.ts'
import type { PonderInternals } from '../ponder/ponderInternals.ts'

/** Where a fold begins: at a block, behind what the tables hold. */
export type ResumePoint = {
  from: number
  /** Ponder's checkpoint as it stands; null before the first one. */
  checkpoint: string | null
  hasTables: boolean
  /** Whether readers have seen the tables: then triggers record every change of them. */
  isReady: boolean
}

const wholeBlock = /9{33}$/

/** Where the fold of a schema goes on: behind the block that Ponder, or a fold before, took for final. */
export async function resumePoint(
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
  const next = wholeBlock.test(checkpoint) ? block + 1 : block
  return { from: Math.max(next, chain.startBlock), ...shared }
}
