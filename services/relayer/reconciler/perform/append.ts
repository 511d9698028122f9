import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import type { ResponseOf } from '../../../enclave/enclaveInterface.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { requestIfFeeCovers } from './requestIfFeeCovers.ts'
import { signBlob } from './signBlob.ts'

/** Has an enclave sign for what became known after the anchor, and sends it likewise. */
export async function append(
  reactor: Reactor,
  state: IntentState,
  effect: Extract<Effect, { kind: 'append' }>,
): Promise<Outcome> {
  const { source } = state.facts
  const signed = await signBlob<ResponseOf<'signAppend'>>(reactor, source, effect.proposal, {
    ...{ kind: 'append', judge: reactor.signing.judgeOn(source.sourceChainId, 'Append') },
    ask: (enclave, request) => enclave.signAppend(request),
  })
  if (signed === null) return { is: 'waiting', reason: 'INDEX_AHEAD' }
  const { message, encryptedBlob, signature } = signed.answer
  const { intentId, paramsHash, blobsHashBefore } = message
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'appendBlob',
    args: [intentId, paramsHash, blobsHashBefore, encryptedBlob, signature],
  })
  return requestIfFeeCovers(reactor, state, effect, data, source.feeBps ?? 0)
}
