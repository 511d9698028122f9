import { isRefusedByNode } from '../errors/toCairnError.ts'

export type BlockRange = { fromBlock: bigint; toBlock: bigint }

/** Blocks of the first request, within most nodes' limits. */
const BLOCKS = 2_000n

/**
 * Reads a range of blocks in parts: one that the node refuses is halved, and later ones grow again, because its limit may
 * be of blocks, of results, of requests or of time.
 *
 * @throws the node's error, if it refuses a single block, or doesn't answer a request for few
 */
export async function* readInRanges<Result>(
  { fromBlock, toBlock }: BlockRange,
  read: (range: BlockRange) => Promise<Result>,
): AsyncGenerator<Result> {
  let blocks = BLOCKS
  while (fromBlock <= toBlock) {
    const left = toBlock - fromBlock + 1n
    if (blocks > left) blocks = left
    try {
      yield await read({ fromBlock, toBlock: fromBlock + blocks - 1n })
    } catch (error) {
      const isRefused = isRefusedByNode(error)
      if (blocks === 1n || (!isRefused && blocks <= BLOCKS)) throw error
      // One that doesn't answer may have needed too long for so many.
      blocks = isRefused ? blocks / 2n : BLOCKS
      continue
    }
    fromBlock += blocks
    blocks += blocks / 8n + 1n
  }
}
