import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import { tellWinner } from '../../settlement/tellWinner.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { callBridge } from './callBridge.ts'
import { depositAt } from './depositAt.ts'

/** Tells a winner on chain, sealed to its key, since it says there that it wasn't told. */
export async function reveal(
  reactor: Reactor,
  situation: IntentState,
  effect: Extract<Effect, { kind: 'reveal' }>,
): Promise<Outcome> {
  const { source } = situation.facts
  const found = await tellWinner(reactor.signing, source, depositAt(reactor, situation))
  if (found.is === 'early') return { is: 'waiting', reason: 'NOT_CONFIRMED' }
  const { answer, signatures } = found.told
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'revealRecipients',
    args: [source.intentId, answer.sealed, signatures],
  })
  return callBridge(reactor, situation, effect, data)
}
