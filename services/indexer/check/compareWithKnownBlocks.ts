import type { Pool } from 'pg'
import type { Hash } from 'viem'
import type { ChainView } from '../follow/probeChain.ts'

/** How the blocks that an index was built on compare with the chain's present blocks. */
type Comparison =
  | { kind: 'same' }
  /** The chain is shorter than a block that was final: a node lags, or the chain was rolled back. */
  | { kind: 'behind'; reason: string }
  /** A block that was final is no longer on the chain: a reset, or a reorg too deep to follow. */
  | { kind: 'forked'; reason: string }
  /** It looks forked, but an endpoint hasn't answered yet, so the index is kept. */
  | { kind: 'unknown'; reason: string }

/**
 * Compares the chain with blocks that were final when they were indexed. Except on development chains, a fork needs the
 * agreement of all configured endpoints: a single one may be wrong.
 */
export async function compareWithKnownBlocks(
  view: ChainView,
  known: KnownBlock[],
): Promise<Comparison> {
  let behind: Comparison | null = null
  let unknown: Comparison | null = null
  for (const { blockNumber, blockHash } of known) {
    if (blockNumber > view.highestHead) {
      const reason = `its head is block ${view.highestHead}, below the final block ${blockNumber}`
      if (view.isDevelopment) return { kind: 'forked', reason }
      behind = { kind: 'behind', reason }
      continue
    }
    const answers = await view.hashesAt(blockNumber)
    const other = answers.find((answer) => answer !== null)
    // One endpoint that has the block is enough; an endpoint that doesn't answer proves nothing.
    if (!other || answers.includes(blockHash)) continue
    const reason = `block ${blockNumber} was ${blockHash} when it was final and is ${other} now`
    const silent = answers.filter((answer) => answer === null).length
    if (silent === 0 || view.isDevelopment) return { kind: 'forked', reason }
    unknown = {
      kind: 'unknown',
      reason: `${reason}, but ${silent} of ${answers.length} endpoints can't be asked: waiting for them`,
    }
  }
  return unknown ?? behind ?? { kind: 'same' }
}

/** A block that the index was built on. */
type KnownBlock = { blockNumber: number; blockHash: Hash }

/**
 * The oldest and the newest final blocks of a chain according to the anchors, Ponder's cache, and the given schemas'
 * events: at most two from each.
 */
export async function readKnownBlocks(
  pool: Pool,
  chainId: number,
  schemas: string[],
): Promise<KnownBlock[]> {
  const sources = [
    ends('app.chain_anchor', 'block_number', 'block_hash', ''),
    ...((await exists(pool, 'ponder_sync.blocks'))
      ? [ends('ponder_sync.blocks', '"number"', '"hash"', '')]
      : []),
  ]
  for (const schema of schemas) {
    if (!(await exists(pool, `"${schema}".event`))) continue
    const finalized = `and block_number <= (
      select min(app.checkpoint_block(finalized_checkpoint)) from "${schema}"._ponder_checkpoint)`
    sources.push(ends(`"${schema}".event`, 'block_number', 'block_hash', finalized))
  }
  const { rows } = await pool.query(sources.join(' union '), [chainId])
  return rows.map(({ number, hash }) => ({ blockNumber: Number(number), blockHash: hash }))
}

function ends(table: string, number: string, hash: string, condition: string): string {
  const end = (direction: string) => `
    (select ${number}::bigint as number, ${hash}::text as hash from ${table}
     where chain_id = $1 ${condition} order by chain_id ${direction}, ${number} ${direction} limit 1)`
  return `${end('asc')} union ${end('desc')}`
}

async function exists(pool: Pool, table: string): Promise<boolean> {
  const { rows } = await pool.query('select to_regclass($1) is not null as found', [table])
  return rows[0].found
}

/** Records the hash of the schema's present final block, once per block. */
export async function noteAnchor(
  pool: Pool,
  chainId: number,
  { blockNumber, blockHash }: KnownBlock,
): Promise<void> {
  await pool.query(
    `insert into app.chain_anchor (chain_id, block_number, block_hash) values ($1, $2, $3)
     on conflict do nothing`,
    [chainId, blockNumber, blockHash],
  )
  // The oldest and the newest few are enough to detect a reset or a deep reorg.
  await pool.query(
    `delete from app.chain_anchor a where chain_id = $1
       and block_number > (select min(block_number) from app.chain_anchor where chain_id = $1)
       and block_number < (select min(block_number) from (
         select block_number from app.chain_anchor where chain_id = $1
         order by block_number desc limit 20) latest)`,
    [chainId],
  )
}
