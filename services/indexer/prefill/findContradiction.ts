import type { ClientBase } from 'pg'
import { numberToHex } from 'viem'
import type { FetchContext } from './fetchLogs.ts'
import type { RawBlock } from './ponderInternals.ts'

/**
 * Compares the newest cached block with the chain. If that one is right, so are the older ones: each block's
 * hash covers its ancestors.
 */
export async function findContradiction(
  { pool, signal, patienceMs, chainId }: FetchContext & { chainId: number },
  client: ClientBase,
  upTo: number,
): Promise<{ blockNumber: number; cachedHash: string; chainHash: string } | undefined> {
  const { rows } = await client.query<{ number: string; hash: string }>(
    `SELECT number, hash FROM ponder_sync.blocks
      WHERE chain_id = $1 AND number <= $2 ORDER BY number DESC LIMIT 1`,
    [chainId, upTo],
  )
  const newest = rows[0]
  if (!newest) return undefined
  const blockNumber = Number(newest.number)
  const block = (await pool.request('eth_getBlockByNumber', [numberToHex(blockNumber), false], {
    signal,
    patienceMs,
    usable: (result) => result !== null,
  })) as RawBlock
  if (block.hash === newest.hash) return undefined
  return { blockNumber, cachedHash: newest.hash, chainHash: block.hash }
}
