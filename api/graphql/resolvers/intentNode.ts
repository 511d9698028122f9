import { deriveStatus, type IntentStatus } from '../../../core/intent/status.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BridgeTerms } from '../../../src/intent/bridgeTerms.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import type { AsOfView } from '../resolveAsOfArgument.ts'

/** Source object of `Intent`: the source chain's row, and everything else that its fields depend on. */
export type IntentNode = SourceFacts & {
  stored: StoredIntent
  chains: ChainsNow
  /** The past moment that it is shown at; null for now. */
  view: AsOfView | null
  /** Derived at its first use. */
  status: () => IntentStatus
}

/** An intent judged by the given chains' heads, or by those of a past moment. */
export function createIntentNode(
  stored: StoredIntent,
  { chains: now, view = null }: { chains: ChainsNow; view?: AsOfView | null | undefined },
): IntentNode {
  const chains = view?.asOf.chains ?? now
  let derived: IntentStatus | null = null
  const statusOnce = () => {
    derived ??= deriveStatus(stored, chains.heads)
    return derived
  }
  return { ...stored.source, stored, chains, view, status: statusOnce }
}

type IntentReference = {
  sourceChainId: number | null
  intentId: bigint | null
  view?: AsOfView | null
}

/** The referenced intent; null while its creation isn't indexed. */
export async function intentOf(
  { sourceChainId, intentId, view }: IntentReference,
  _: unknown,
  { loaders, chains }: GraphqlContext,
): Promise<IntentNode | null> {
  if (sourceChainId === null || intentId === null) return null
  const stored = await (view?.loaders ?? loaders).intent.load({ sourceChainId, intentId })
  return stored && createIntentNode(stored, { chains, view })
}

/** The bridge of the intent's source chain; null while its deployment isn't indexed. */
export function bridgeOf({ chains, sourceChainId }: IntentNode): {
  address: Hex
  terms: BridgeTerms
} | null {
  return chains.ready.find(({ chainId }) => chainId === sourceChainId)?.bridge ?? null
}
