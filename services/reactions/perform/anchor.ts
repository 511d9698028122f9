import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { bindingsOf } from '../../bundles/bindingsOf.ts'
import { fixBundle } from '../../bundles/fixBundle.ts'
import { forgetBundle } from '../../bundles/forgetBundle.ts'
import { termsOf } from '../../bundles/termsOf.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import type { Effect, Situation } from '../situation.ts'
import { bridgeOf } from './bridgeOf.ts'
import { callBridge } from './callBridge.ts'

/** Fixes the stored bundle and anchors the intent with exactly its bytes. */
export async function anchor(
  reactor: Reactor,
  situation: Situation,
  effect: Extract<Effect, { kind: 'anchor' }>,
): Promise<Outcome> {
  const { source } = situation.facts
  const bundle = await fixBundle(reactor.vault.db, source)
  if (!bundle) return { is: 'waiting', reason: 'AWAITING_RECIPIENTS' }
  const expected = bindingsOf(termsOf(source, bridgeOf(reactor, source.sourceChainId)))
  const opened = await reactor.enclave.openBlob({ blob: bundle.sealed, expected })
  if (!opened.ok) {
    // A reorg gave the id to another creation: what was stored is not for this one.
    if (opened.reason.startsWith('OTHER_')) {
      await forgetBundle(reactor.vault.db, source, bundle.sealed)
    }
    return { is: 'waiting', reason: opened.reason }
  }
  const isOnChain = bundle.sealed === situation.creationBlob
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'anchorIntent',
    args: [source.intentId, bundle.feeBps, isOnChain ? '0x' : bundle.sealed],
  })
  return callBridge(reactor, situation, effect, data)
}
