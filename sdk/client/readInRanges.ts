import { isRefusedByNode } from '../errors/toCairnError.ts'

export type BlockRange = { fromBlock: bigint; toBlock: bigint }

/** Blocks of the first request, within most nodes' limits. */
const BLOCKS = 2_000n

/**
 * Reads a range of blocks in parts: one that the node refuses is halved, and later ones grow again, because its limit may
 * be of blocks, of results or of requests.
 *
 * @throws the node's error, if it doesn't answer or refuses a single block
 */
export async function* readInRanges<Result>(
  { fromBlock, toBlock }: BlockRange,
  read: (range: BlockRange) => Promise<Result>,
): AsyncGenerator<Result> {
  let blocks = BLOCKS
  while (fromBlock <= toBlock) {
    const last = fromBlock + blocks - 1n
    const range = { fromBlock, toBlock: last < toBlock ? last : toBlock }
    try {
      yield await read(range)
    } catch (error) {
      if (blocks === 1n || !isRefusedByNode(error)) throw error
      blocks /= 2n
      continue
    }
    fromBlock += blocks
    blocks += blocks / 8n + 1n
  }
}
