import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import type { Effect, Situation } from '../situation.ts'
import { callBridge } from './callBridge.ts'

/** Puts a blob on chain that became known after the anchor. */
export function append(
  reactor: Reactor,
  situation: Situation,
  effect: Extract<Effect, { kind: 'append' }>,
): Promise<Outcome> {
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'appendBlob',
    args: [situation.facts.source.intentId, effect.sealed],
  })
  return callBridge(reactor, situation, effect, data)
}
