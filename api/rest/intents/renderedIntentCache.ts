import { finality } from '../../../core/intent/finality.ts'
import { refund } from '../../../core/intent/refund.ts'
import { status } from '../../../core/intent/status.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { type Rendered, render } from '../../http/conditionalResponse.ts'
import { type BridgeOf, renderIntent } from './renderIntent.ts'

type Memory = { heads: ChainHeads; bridge: BridgeOf; derived: string; rendered: Rendered<string> }

/** Lives as long as the cached intent that it was rendered from. */
const memories = new WeakMap<StoredIntent, Memory>()

/**
 * The answer of `/intent-details`, rendered again only when something in it has changed. The clocks
 * affect only the record's status, finality and refund; while these stay the same, so does the text.
 */
export function renderedIntent(
  stored: StoredIntent,
  heads: ChainHeads,
  bridge: BridgeOf,
): Rendered<string> {
  const memory = memories.get(stored)
  if (memory?.heads === heads && memory.bridge === bridge) return memory.rendered
  const derived = derivedOf(stored, heads, bridge)
  const rendered =
    memory?.derived === derived
      ? memory.rendered
      : render({ success: true, intent: renderIntent(stored, heads, bridge) })
  memories.set(stored, { heads, bridge, derived, rendered })
  return rendered
}

function derivedOf(stored: StoredIntent, heads: ChainHeads, { address, terms }: BridgeOf): string {
  const { status: word, substatus } = status(stored, heads)
  const owed = refund(stored, heads, terms)
  return [
    word,
    substatus,
    finality(stored, heads),
    owed?.status,
    owed?.attestableAt,
    address,
    terms.settlementGrace,
  ].join()
}
