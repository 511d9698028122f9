import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { callBridge } from './callBridge.ts'

/** Refunds the sender. Anyone may do it; nothing depends on the relayer. */
export function refundSender(
  reactor: Reactor,
  state: IntentState,
  effect: Extract<Effect, { kind: 'refund' }>,
): Promise<Outcome> {
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'refund',
    args: [state.facts.source.intentId],
  })
  return callBridge(reactor, state, effect, data)
}
