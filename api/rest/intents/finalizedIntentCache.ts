import { finality } from '../../../core/intent/finality.ts'
import { status } from '../../../core/intent/status.ts'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Rendered } from '../../http/conditionalAnswer.ts'
import type { BridgeOf } from './renderIntent.ts'

/** Answers about intents that time can no longer change. */
export type FinalizedIntentCache = {
  /** @param intentId decimal */
  find(intentId: string, now: ChainsNow): Rendered | null
  /** Stores an answer if its intent has ended and is final; drops any other. */
  keep(stored: StoredIntent, now: ChainsNow, bridge: BridgeOf, rendered: Rendered): void
  statistics(): { hits: number; entries: number; bytes: number }
}

type Ready = Rendered & { bridge: BridgeOf; sourceChainId: number; updatedBlock: number }

/**
 * Keeps whole answers in memory. An intent that has ended on its source chain reads the same whatever
 * the clocks say, finality apart, and that is looked up each time; a change of its rows, such as by a
 * deep reorg, drops it, and so does an interruption of the feed.
 *
 * @param room bytes
 */
export function createFinalizedIntentCache(feed: ChangeFeed, room: number): FinalizedIntentCache {
  const ready = createLruCache<string, Ready>(room)
  let hits = 0
  feed.subscribe((event) => {
    if (event.kind === 'clock') return
    if (event.kind !== 'change' || event.change.intentId === null) ready.clear()
    else ready.delete(String(event.change.intentId))
  })
  return {
    find: (intentId, now) => {
      const found = ready.get(intentId)
      if (!found || !isFinal(found, now) || !belongsTo(now, found)) return null
      hits += 1
      return found
    },
    keep: (stored, now, bridge, rendered) => {
      const { intentId, sourceChainId, updatedBlock } = stored.source
      if (!status(stored, now.heads).isTerminal) return
      if (finality(stored, now.heads) !== 'finalized') return
      const entry = { ...rendered, bridge, sourceChainId, updatedBlock }
      ready.set(String(intentId), entry, rendered.bytes)
    },
    statistics: () => ({ hits, ...ready.statistics() }),
  }
}

function isFinal({ sourceChainId, updatedBlock }: Ready, { heads }: ChainsNow): boolean {
  const head = heads.get(sourceChainId)
  return head !== undefined && updatedBlock <= head.finalizedBlock
}

/**
 * The bridge's address and windows are part of the answer; they are read again when a chain's state is.
 */
function belongsTo({ ready }: ChainsNow, { sourceChainId, bridge }: Ready): boolean {
  return ready.find(({ chainId }) => chainId === sourceChainId)?.bridge === bridge
}
