import { storeCreationBlob } from '../../bundles/storeCreationBlob.ts'
import { termsOf } from '../../bundles/termsOf.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import type { Effect, Situation } from '../situation.ts'
import { bridgeOf } from './bridgeOf.ts'

/** Stores the recipients of the creation's own blob, if it is one of this intent's and can be opened. */
export async function storeCreation(
  reactor: Reactor,
  { facts }: Situation,
  { blob }: Extract<Effect, { kind: 'store' }>,
): Promise<Outcome> {
  const terms = termsOf(facts.source, bridgeOf(reactor, facts.source.sourceChainId))
  const stored = await storeCreationBlob(reactor.vault, terms, blob)
  if (stored.outcome !== 'unusable') return { is: 'done' }
  return { is: 'refused', reason: stored.reason }
}
