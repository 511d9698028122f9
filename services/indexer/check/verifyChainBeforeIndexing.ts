import type { Pool } from 'pg'
import { findFork, type ReadBlock } from '../../chain/history/findFork.ts'
import type { Supervision } from '../chainSupervision.ts'
import { deleteChainIndex } from '../follow/deleteChainIndex.ts'
import { type ChainView, probeChain } from '../follow/probeChain.ts'
import { compareWithKnownBlocks, readKnownBlocks } from './compareWithKnownBlocks.ts'
import { findBridgeConfigProblem } from './findBridgeConfigProblem.ts'

/** The chain can't be followed now, but perhaps later. */
export class ChainNotReadyError extends Error {
  override name = 'ChainNotReadyError'
}

/**
 * Verifies that the configured bridge is a bridge, before reading from it or deleting anything for it, and that the
 * index belongs to the chain that the endpoints serve. If the chain was reset, or reorganised deeper than Ponder can
 * follow, deletes its index, so that the next start begins from scratch. Nothing else may write the chain's schema
 * meanwhile.
 *
 * @returns the chain's head, and whether its index was deleted
 * @throws ChainNotReadyError, WrongChainError
 */
export async function verifyChainBeforeIndexing(
  supervision: Supervision,
): Promise<{ head: number; forgotten: boolean }> {
  const { chain, pool, log } = supervision
  const view = await probeChain(chain)
  for (const stranger of view.strangers) log.warn({ chain: chain.name }, `${stranger}: ignoring it`)
  const problem = await findBridgeConfigProblem(view, chain)
  if (problem !== null) throw new ChainNotReadyError(problem)
  const schemas = await schemasOf(supervision)
  const comparison = await compareWithKnownBlocks(
    view,
    await readKnownBlocks(pool, chain.chainId, schemas),
  )
  if (comparison.kind === 'behind' || comparison.kind === 'unknown')
    throw new ChainNotReadyError(comparison.reason)
  if (comparison.kind === 'same') return { head: view.head, forgotten: false }
  log.warn(
    { chain: chain.name, reason: comparison.reason },
    `${chain.name} is not the chain that was indexed (${comparison.reason}): rebuilding its index from scratch`,
  )
  await rebuild(supervision, view)
  return { head: view.head, forgotten: true }
}

/** Deletes a chain's index but keeps its orphaned events; the next start begins from scratch. */
export async function rebuild(supervision: Supervision, view: ChainView): Promise<void> {
  const { chain, pool } = supervision
  let fork = chain.startBlock - 1
  const [schema] = await schemasOf(supervision, 'and active')
  if (schema !== undefined) {
    fork = await findIndexFork(pool, view, { ...chain, schema })
  }
  await deleteChainIndex(pool, { chainId: chain.chainId, fork })
}

async function schemasOf({ pool, chain }: Supervision, condition = ''): Promise<string[]> {
  const { rows } = await pool.query(
    `select schema_name from app.projection
     where chain_id = $1 and to_regclass(format('%I.event', schema_name)) is not null ${condition}`,
    [chain.chainId],
  )
  return rows.map((row) => row.schema_name)
}

/**
 * The highest block number up to which all indexed events are still on the chain.
 *
 * @param schema the chain's tables; `startBlock` the first block they cover
 */
function findIndexFork(
  pool: Pool,
  view: ChainView,
  { schema, chainId, startBlock }: { schema: string; chainId: number; startBlock: number },
): Promise<number> {
  const latestEventUpTo = async (block: number): Promise<ReadBlock | null> => {
    const { rows } = await pool.query(
      `select block_number, block_hash from "${schema}".event
       where chain_id = $1 and block_number <= $2
       order by chain_id desc, block_number desc limit 1`,
      [chainId, block],
    )
    return rows[0] ? { number: Number(rows[0].block_number), hash: rows[0].block_hash } : null
  }
  const isOnChain = async ({ number, hash }: ReadBlock) =>
    (await view.hashesAt(number)).some((one) => one === hash)
  return findFork(latestEventUpTo, isOnChain, startBlock - 1)
}
