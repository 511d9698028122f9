import { type IntentStatus, status } from '../../../core/intent/status.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/facts.ts'
import type { BridgeTerms } from '../../../src/intent/terms.ts'
import type { AsOfView } from '../asOfView.ts'

/** What the fields of `Intent` are resolved from: the source chain's row, and its status by the clocks. */
export type IntentNode = SourceFacts & {
  stored: StoredIntent
  chains: ChainsNow
  /** The earlier moment that it is shown as of; null for now. */
  view: AsOfView | null
  /** Derived once, however many of its fields are asked for. */
  status: () => IntentStatus
}

/** An intent as it stands by the given chains' heads. */
export function intentNode(
  stored: StoredIntent,
  chains: ChainsNow,
  view: AsOfView | null = null,
): IntentNode {
  let known: IntentStatus | null = null
  const statusNow = () => {
    known ??= status(stored, chains.heads)
    return known
  }
  return { ...stored.source, stored, chains, view, status: statusNow }
}

/** An intent as it stood at an earlier moment. */
export function pastNode(stored: StoredIntent, view: AsOfView): IntentNode {
  return intentNode(stored, view.asOf.chains, view)
}

/** The bridge of the intent's source chain; null while its deployment isn't indexed. */
export function bridgeOf({ chains, sourceChainId }: IntentNode): {
  address: Hex
  terms: BridgeTerms
} | null {
  return chains.ready.find(({ chainId }) => chainId === sourceChainId)?.bridge ?? null
}
