import { sql } from 'kysely'
import { findChainName } from '../../../core/chain/chainNames.ts'
import { type Cutoffs, computeCutoffs, type NamedBlock } from '../../../core/intent/asOfCutoff.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ChainsNow } from '../chains/chainStateCache.ts'
import type { ChainHead } from '../chains/readChainStates.ts'
import type { Db } from '../database/openDatabase.ts'

/** A moment in the past: which events count, and the chains' state then. */
export type AsOf = {
  cutoffs: Cutoffs
  /** The chains with their heads at the cutoffs; safe and finalized blocks are the present ones. */
  chains: ChainsNow
}

export type BlockRef = { chainId: number; blockNumber: number }

/** Why a moment in the past can't be read. */
export type AsOfProblem =
  /** The chain isn't configured. */
  | 'unknown_chain'
  /** A chain is named twice, or none is. */
  | 'bad_choice'
  /** The chain isn't indexed yet. */
  | 'not_ready'
  /** The block is above the indexed head. */
  | 'not_indexed'
  /** The block precedes the bridge's deployment. */
  | 'before_start'
  /** No node knows the block's time. */
  | 'no_time'
  /** The nodes' block and the indexed events contradict each other. */
  | 'reorg'

/** A moment in the past can't be read; `details` is for programs. */
export class AsOfError extends Error {
  override name = 'AsOfError'
  readonly problem: AsOfProblem
  readonly details: Record<string, string | number>

  constructor(
    problem: AsOfProblem,
    message: string,
    details: Record<string, string | number> = {},
  ) {
    super(message)
    this.problem = problem
    this.details = details
  }
}

/** Sources of blocks' times. `readBlock`: null if the chain's nodes don't answer or lack the block. */
export type AsOfSources = {
  db: Db
  configured: readonly ChainConfig[]
  readBlock(chainId: number, blockNumber: number): Promise<{ timestamp: bigint } | null>
}

/**
 * Resolves blocks of some chains to a moment in the past; see `computeCutoffs` for the other chains.
 *
 * @throws AsOfError
 */
export async function resolveAsOf(
  sources: AsOfSources,
  now: ChainsNow,
  blocks: readonly BlockRef[],
): Promise<AsOf> {
  if (blocks.length === 0) throw new AsOfError('bad_choice', 'name a block')
  if (new Set(blocks.map(({ chainId }) => chainId)).size < blocks.length) {
    throw new AsOfError('bad_choice', 'name each chain once')
  }
  for (const block of blocks) checkRange(sources, now, block)
  const timed = await Promise.all(blocks.map((block) => withTime(sources, now, block)))
  const cutoffs = computeCutoffs(timed, now.heads)
  const ready = now.ready.map((chain) => {
    const cutoff = cutoffs.get(chain.chainId)
    return cutoff ? { ...chain, head: headAt(chain.head, cutoff) } : chain
  })
  const heads = new Map(ready.map(({ chainId, head }) => [chainId, head]))
  return { cutoffs, chains: { ...now, ready, heads } }
}

function headAt(
  head: ChainHead,
  { timestamp, blockNumber }: { timestamp: number; blockNumber: number | null },
): ChainHead {
  return { ...head, timestamp, blockNumber: blockNumber ?? head.blockNumber }
}

function checkRange(
  { configured }: AsOfSources,
  now: ChainsNow,
  { chainId, blockNumber }: BlockRef,
): void {
  const head = now.heads.get(chainId)
  const chain = configured.find((one) => one.chainId === chainId)
  const name = chain?.name ?? findChainName(chainId) ?? `chain ${chainId}`
  if (!head && !chain) throw new AsOfError('unknown_chain', `${name} is not followed here`)
  if (!head) throw new AsOfError('not_ready', `${name} is not indexed yet`)
  if (blockNumber > head.blockNumber) {
    throw new AsOfError('not_indexed', `${name} is indexed up to block ${head.blockNumber}`, {
      chainId: String(chainId),
      indexed: head.blockNumber,
    })
  }
  const start = chain?.startBlock ?? 0
  if (blockNumber < start) {
    throw new AsOfError('before_start', `the history of ${name} starts at block ${start}`, {
      chainId: String(chainId),
      startBlock: start,
    })
  }
}

/** Block and time of the newest event up to a block, and time of the oldest event after it. */
type NeighbouringEvents = { block: number | null; before: number | null; after: number | null }

async function withTime(
  sources: AsOfSources,
  now: ChainsNow,
  { chainId, blockNumber }: BlockRef,
): Promise<NamedBlock> {
  const head = now.heads.get(chainId)
  if (head?.blockNumber === blockNumber) {
    return { chainId, blockNumber, timestamp: head.timestamp }
  }
  const { block, before, after } = await readNeighbouringEvents(sources.db, {
    chainId,
    blockNumber,
  })
  if (block === blockNumber && before !== null) return { chainId, blockNumber, timestamp: before }
  const found = await sources.readBlock(chainId, blockNumber)
  if (found === null) {
    throw new AsOfError('no_time', `no node knows the time of block ${blockNumber}`)
  }
  const timestamp = Number(found.timestamp)
  if ((before ?? timestamp) > timestamp || (after ?? timestamp) < timestamp) {
    throw new AsOfError('reorg', `block ${blockNumber} has just been replaced`)
  }
  return { chainId, blockNumber, timestamp }
}

async function readNeighbouringEvents(
  db: Db,
  { chainId, blockNumber }: BlockRef,
): Promise<NeighbouringEvents> {
  const { rows } = await sql<NeighbouringEvents>`
    select before.block_number as block, before.block_timestamp as before, (
        select e.block_timestamp from cairn.event e
        where e.chain_id = ${chainId}::bigint and e.block_number > ${blockNumber}::bigint
        order by e.block_number, e.log_index limit 1) as after
    from (select 1) as one left join lateral (
      select e.block_number, e.block_timestamp from cairn.event e
      where e.chain_id = ${chainId}::bigint and e.block_number <= ${blockNumber}::bigint
      order by e.block_number desc, e.log_index desc limit 1) as before on true`.execute(db)
  return rows[0] ?? { block: null, before: null, after: null }
}
