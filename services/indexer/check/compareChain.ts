import type { ChainView } from '../follow/probeChain.ts'
import type { KnownBlock } from './knownBlocks.ts'

/** What the blocks that an index was built on say about the chain of now. */
type Comparison =
  | { kind: 'same' }
  /** The chain doesn't reach a block that was final. A node that lags, or a chain rolled back. */
  | { kind: 'behind'; reason: string }
  /** A block that was final isn't on the chain: it was reset, or reorganised too deep to follow. */
  | { kind: 'forked'; reason: string }
  /** It looks forked, but some endpoint hasn't said anything yet: not enough to throw an index away. */
  | { kind: 'unknown'; reason: string }

/**
 * Compares the chain with blocks that were final when they were indexed. Off development chains it takes
 * every configured endpoint to tell of a fork: one that answers alone may be the one that is wrong.
 */
export async function compareChain(view: ChainView, known: KnownBlock[]): Promise<Comparison> {
  let behind: Comparison | null = null
  let unknown: Comparison | null = null
  for (const { blockNumber, blockHash } of known) {
    if (blockNumber > view.head) {
      const reason = `its head is block ${view.head}, below the final block ${blockNumber}`
      if (view.isDevelopment) return { kind: 'forked', reason }
      behind = { kind: 'behind', reason }
      continue
    }
    const answers = await view.hashesAt(blockNumber)
    const other = answers.find((answer) => answer !== null)
    // One endpoint that vouches for the block is enough; silence proves nothing.
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
