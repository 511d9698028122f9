import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import type { ResponseOf } from '../../../enclave/port.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { payFor } from './payFor.ts'
import { signBlob } from './signBlob.ts'

/** Has an enclave fix tier and class, and sends what it signed as far as the intent's fee pays for it. */
export async function anchor(
  reactor: Reactor,
  situation: IntentState,
  effect: Extract<Effect, { kind: 'anchor' }>,
): Promise<Outcome> {
  const { source } = situation.facts
  const signed = await signBlob<ResponseOf<'signAnchor'>>(reactor, source, effect.proposal, {
    ...{ kind: 'anchor', judge: reactor.signing.judgeOn(source.sourceChainId, 'Anchor') },
    ask: (enclave, request) => enclave.signAnchor(request),
  })
  if (signed === null) return { is: 'waiting', reason: 'INDEX_AHEAD' }
  const { message, encryptedBlob, signature } = signed.answer
  const { intentId, paramsHash, blobsHashBefore, feeBps, recipientClass } = message
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'anchorIntent',
    args: [
      ...([intentId, paramsHash, blobsHashBefore, feeBps, recipientClass] as const),
      ...([encryptedBlob, signature] as const),
    ],
  })
  return payFor(reactor, situation, effect, data, feeBps)
}
