import { type IntentStatus, status } from '../../../core/intent/status.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/facts.ts'
import type { BridgeTerms } from '../../../src/intent/terms.ts'
import type { AsOfView } from '../asOfView.ts'
import type { GraphqlContext } from '../context.ts'

/** What the fields of `Intent` are resolved from: the source chain's row, and its status by the clocks. */
export type IntentNode = SourceFacts & {
  stored: StoredIntent
  chains: ChainsNow
  /** The earlier moment that it is shown as of; null for now. */
  view: AsOfView | null
  /** Derived once, however many of its fields are asked for. */
  status: () => IntentStatus
}

/** An intent as it stands by the given chains' heads, or as it stood at an earlier moment. */
export function intentNode(
  stored: StoredIntent,
  { chains: now, view = null }: { chains: ChainsNow; view?: AsOfView | null | undefined },
): IntentNode {
  const chains = view?.asOf.chains ?? now
  let known: IntentStatus | null = null
  const statusNow = () => {
    known ??= status(stored, chains.heads)
    return known
  }
  return { ...stored.source, stored, chains, view, status: statusNow }
}

type AboutIntent = {
  sourceChainId: number | null
  intentId: bigint | null
  view?: AsOfView | null
}

/** The intent that something is about; null while its creation isn't indexed. */
export async function intentOf(
  { sourceChainId, intentId, view }: AboutIntent,
  _: unknown,
  { loaders, chains }: GraphqlContext,
): Promise<IntentNode | null> {
  if (sourceChainId === null || intentId === null) return null
  const stored = await (view?.loaders ?? loaders).intent.load({ sourceChainId, intentId })
  return stored && intentNode(stored, { chains, view })
}

/** The bridge of the intent's source chain; null while its deployment isn't indexed. */
export function bridgeOf({ chains, sourceChainId }: IntentNode): {
  address: Hex
  terms: BridgeTerms
} | null {
  return chains.ready.find(({ chainId }) => chainId === sourceChainId)?.bridge ?? null
}
