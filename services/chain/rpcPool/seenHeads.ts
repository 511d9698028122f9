export type SeenBlock = { number: number; hash: string }

/** How a provider's head relates to the blocks seen so far. */
type HeadVerdict = 'accept' | 'lagging' | 'reorged'

/** Blocks remembered. */
const DEPTH = 512

/**
 * Remembers recent blocks to tell a lagging provider from a reorg.
 *
 * Ponder treats any head at or below its own as a reorg and reverts its newest blocks. With several providers, or one URL
 * that balances over several nodes, that would happen constantly.
 */
export type SeenHeads = {
  newest(): SeenBlock | undefined
  /** Records a block served as the head. It replaces any other block of that height. */
  recordHead(block: SeenBlock): void
  /** Records a block that was looked up. It may be an orphan, so it never replaces a known block. */
  recordBlock(block: SeenBlock): void
  /**
   * - `accept`: the newest known block, or above it.
   * - `lagging`: an older block of the known chain.
   * - `reorged`: at or below the newest height, but not on the known chain.
   */
  classify(block: SeenBlock): HeadVerdict
}

export function createSeenHeads(): SeenHeads {
  const hashes = new Map<number, string>()
  let newest: SeenBlock | undefined
  const keep = ({ number, hash }: SeenBlock) => {
    hashes.set(number, hash)
    hashes.delete(number - DEPTH)
  }
  return {
    newest: () => newest,
    recordHead(block) {
      const replaces = hashes.has(block.number) && hashes.get(block.number) !== block.hash
      if (replaces || (newest && block.number < newest.number)) {
        // A reorg: the blocks above are orphaned.
        for (const number of hashes.keys()) if (number > block.number) hashes.delete(number)
      }
      newest = block
      keep(block)
    },
    recordBlock(block) {
      if (hashes.has(block.number)) return
      if (!newest || block.number > newest.number) newest = block
      keep(block)
    },
    classify({ number, hash }) {
      if (!newest || number > newest.number) return 'accept'
      if (number === newest.number) return hash === newest.hash ? 'accept' : 'reorged'
      return hashes.get(number) === hash ? 'lagging' : 'reorged'
    },
  }
}
