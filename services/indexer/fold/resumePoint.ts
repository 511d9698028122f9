import type { ClientBase } from 'pg'
import type { ChainConfig } from '../../config/chains.ts'
import type { PonderInternals } from '../prefill/ponderInternals.ts'

/** Where a fold begins: at a block, behind what the tables hold. */
export type ResumePoint = {
  from: number
  /** Ponder's checkpoint as it stands; null while the tables don't exist. */
  checkpoint: string | null
}

const wholeBlock = /^9+$/
const beforeBlock = /^0+$/
/** Digits of a checkpoint's text behind the block number: place in the block. */
const placeDigits = 33

/**
 * Where the fold of a schema has to begin, or why it must be left to Ponder: once a schema was ready, its
 * triggers record every change for readers and for reorgs, and only Ponder may write it.
 */
export async function resumePoint(
  client: ClientBase,
  { chain, schema, ponder }: { chain: ChainConfig; schema: string; ponder: PonderInternals },
): Promise<ResumePoint | { reason: string }> {
  const { rows: projections } = await client.query(
    'SELECT ready_at IS NOT NULL AS was_ready FROM app.projection WHERE schema_name = $1',
    [schema],
  )
  if (!projections[0]) return { reason: `${schema} is not registered` }
  if (projections[0].was_ready) return { reason: 'its tables were ready before' }
  const { rowCount } = await client.query(`SELECT 1 FROM "${schema}"._ponder_meta`)
  if (rowCount === 0) return { from: chain.startBlock, checkpoint: null }
  const { rows } = await client.query<{ safe: string; same: boolean }>(
    `SELECT safe_checkpoint AS safe,
            safe_checkpoint = latest_checkpoint AND safe_checkpoint = finalized_checkpoint AS same
       FROM "${schema}"._ponder_checkpoint WHERE chain_id = $1`,
    [chain.chainId],
  )
  const [kept] = rows
  const place = kept?.safe.slice(-placeDigits) ?? ''
  const isWhole = wholeBlock.test(place)
  if (!kept?.same || !(isWhole || beforeBlock.test(place))) {
    return { reason: 'Ponder began its tables and stopped within a block' }
  }
  const block = Number(ponder.decodeCheckpoint(kept.safe).blockNumber)
  return { from: isWhole ? block + 1 : block, checkpoint: kept.safe }
}
