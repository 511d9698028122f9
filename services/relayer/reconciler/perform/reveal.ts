import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import { revealRecipients } from '../../settlement/revealRecipients.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { callBridge } from './callBridge.ts'
import { depositAt } from './depositAt.ts'

/** Reveals the recipients on chain, sealed to the winner's key, where the winner asked for them there. */
export async function reveal(
  reactor: Reactor,
  state: IntentState,
  effect: Extract<Effect, { kind: 'reveal' }>,
): Promise<Outcome> {
  const { source } = state.facts
  const found = await revealRecipients(reactor.signing, source, depositAt(reactor, state))
  if (found.is === 'early') return { is: 'waiting', reason: 'NOT_CONFIRMED' }
  const { answer, signatures } = found.reveal
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'revealRecipients',
    args: [source.intentId, answer.sealed, signatures],
  })
  return callBridge(reactor, state, effect, data)
}
