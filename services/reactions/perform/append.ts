import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { bindingsOf } from '../../bundles/bindingsOf.ts'
import { forgetBundle } from '../../bundles/forgetBundle.ts'
import { termsOf } from '../../bundles/termsOf.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import type { Effect, Situation } from '../situation.ts'
import { bridgeOf } from './bridgeOf.ts'
import { callBridge } from './callBridge.ts'

/** Puts a blob on chain that the anchor didn't, if it is of this intent. */
export async function append(
  reactor: Reactor,
  situation: Situation,
  effect: Extract<Effect, { kind: 'append' }>,
): Promise<Outcome> {
  const { source } = situation.facts
  const { sealed } = effect
  const expected = bindingsOf(termsOf(source, bridgeOf(reactor, source.sourceChainId)))
  const opened = await reactor.enclave.openBlob({ blob: sealed, expected })
  if (!opened.ok) {
    // A reorg gave the id to another creation: what was stored is not for this one.
    if (opened.reason.startsWith('OTHER_')) await forgetBundle(reactor.vault.db, source, sealed)
    return { is: 'waiting', reason: opened.reason }
  }
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'appendBlob',
    args: [source.intentId, sealed],
  })
  return callBridge(reactor, situation, effect, data)
}
