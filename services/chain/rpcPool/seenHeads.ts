/** The parts of a block that place it in the chain. */
export type SeenBlock = { number: number; hash: string }

/** What to answer when a provider says that `offered` is the newest block. */
type HeadVerdict = 'accept' | 'lagging' | 'reorged'

/** Blocks remembered; older ones are of no use to anyone who asks for the head. */
const depth = 512

/**
 * Remembers past heads, so that an old head from a lagging provider isn't taken for a reorg.
 *
 * Ponder takes a head that is not above its own for a reorg and throws its newest blocks away; behind
 * several providers (or one URL with several nodes behind it) that would happen all the time.
 */
export type SeenHeads = {
  /** The newest block seen so far. */
  newest(): SeenBlock | undefined
  /** A block that was answered as the head: it replaces whatever else was known of that height. */
  saw(block: SeenBlock): void
  /** A block that was looked up. It may be an orphan, so it never replaces a known one. */
  noticed(block: SeenBlock): void
  /**
   * - `accept`: as new as anything seen, or newer.
   * - `lagging`: an older block of the chain that we know.
   * - `reorged`: a block that the chain we know doesn't have: the chain itself went back.
   */
  judge(offered: SeenBlock): HeadVerdict
}

export function createSeenHeads(): SeenHeads {
  const hashes = new Map<number, string>()
  let newest: SeenBlock | undefined
  const keep = ({ number, hash }: SeenBlock) => {
    hashes.set(number, hash)
    hashes.delete(number - depth)
  }
  return {
    newest: () => newest,
    saw(block) {
      const replaces = hashes.has(block.number) && hashes.get(block.number) !== block.hash
      if (replaces || (newest && block.number < newest.number)) {
        // The chain went back: what was known above this block is gone.
        for (const number of hashes.keys()) if (number > block.number) hashes.delete(number)
      }
      newest = block
      keep(block)
    },
    noticed(block) {
      if (hashes.has(block.number)) return
      if (!newest || block.number > newest.number) newest = block
      keep(block)
    },
    judge({ number, hash }) {
      if (!newest || number > newest.number) return 'accept'
      if (number === newest.number) return hash === newest.hash ? 'accept' : 'reorged'
      return hashes.get(number) === hash ? 'lagging' : 'reorged'
    },
  }
}
