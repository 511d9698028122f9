import type { Hex } from 'viem'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { whyNotPaid } from '../spending/whyNotPaid.ts'
import { bridgeOf } from './bridgeOf.ts'
import { callBridge } from './callBridge.ts'

/**
 * Requests the call of an anchor or append, those that end first first, if the intent's fee pays for it.
 * One that the fee doesn't cover is signed all the same, so that anyone can send it.
 */
export async function requestIfFeeCovers(
  reactor: Reactor,
  state: IntentState,
  effect: Effect,
  data: Hex,
  feeBps: number,
): Promise<Outcome> {
  const { source } = state.facts
  const to = bridgeOf(reactor, source.sourceChainId)
  const prices = reactor.prices.get(source.sourceChainId)
  if (!prices) return { is: 'refused', reason: 'CHAIN_NOT_CONFIGURED' }
  const l1Fee = await prices.data.of({ to, data })
  const why = await whyNotPaid(reactor, source, { data, feeBps, l1Fee, cap: prices.cap })
  if (why !== null) return { is: 'refused', reason: why }
  return callBridge(reactor, state, effect, data, {
    ...{ deadline: source.firmAt, payer: source.sender, l1Fee },
    worth: (source.amountA * BigInt(feeBps)) / 10_000n,
  })
}
