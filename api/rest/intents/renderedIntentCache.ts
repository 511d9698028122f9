import { deriveFinality } from '../../../core/intent/finality.ts'
import { deriveRefund } from '../../../core/intent/refundStatus.ts'
import { deriveStatus } from '../../../core/intent/status.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { type Rendered, render } from '../../http/conditionalResponse.ts'
import { type BridgeOf, renderIntent } from './renderIntent.ts'

type Entry = { heads: ChainHeads; bridge: BridgeOf; derived: string; rendered: Rendered<string> }

/** An entry lives as long as the cached intent that it was rendered from. */
const cache = new WeakMap<StoredIntent, Entry>()

/**
 * The answer of `/intent-details`, rendered again only if it changes. Time affects only the status, finality and
 * refund; while these stay the same, so does the answer.
 */
export function renderIntentCached(
  stored: StoredIntent,
  heads: ChainHeads,
  bridge: BridgeOf,
): Rendered<string> {
  const entry = cache.get(stored)
  if (entry?.heads === heads && entry.bridge === bridge) return entry.rendered
  const derived = derivedOf(stored, heads, bridge)
  const rendered =
    entry?.derived === derived
      ? entry.rendered
      : render({ success: true, intent: renderIntent(stored, heads, bridge) })
  cache.set(stored, { heads, bridge, derived, rendered })
  return rendered
}

function derivedOf(stored: StoredIntent, heads: ChainHeads, { address, terms }: BridgeOf): string {
  const { status: word, substatus } = deriveStatus(stored, heads)
  const owed = deriveRefund(stored, heads, terms)
  return [
    word,
    substatus,
    deriveFinality(stored, heads),
    owed?.status,
    owed?.attestableAt,
    address,
    terms.settlementGrace,
  ].join()
}
