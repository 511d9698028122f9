import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import { DEFAULT_SPONSOR_LIMITS } from '../../../config/sponsorLimits.ts'
import type { ResponseOf } from '../../../enclave/enclaveInterface.ts'
import { leastAmountFor } from '../../recipients/sponsored/leastAmount.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { requestIfFeeCovers } from './requestIfFeeCovers.ts'
import { signBlob } from './signBlob.ts'

/**
 * Has an enclave fix tier and class, and sends what it signed as far as the intent's fee pays for it: for
 * the call, and for what its recipients at Safes will be promised.
 */
export async function anchor(
  reactor: Reactor,
  state: IntentState,
  effect: Extract<Effect, { kind: 'anchor' }>,
): Promise<Outcome> {
  const { source } = state.facts
  const signed = await signBlob<ResponseOf<'signAnchor'>>(reactor, source, effect.proposal, {
    ...{ kind: 'anchor', judge: reactor.signing.judgeOn(source.sourceChainId, 'Anchor') },
    ask: (enclave, request) => enclave.signAnchor(request),
  })
  if (signed === null) return { is: 'waiting', reason: 'INDEX_AHEAD' }
  const { message, encryptedBlob, signature, replaced } = signed.answer
  const { db, safePrice = DEFAULT_SPONSOR_LIMITS } = reactor.vault
  const least = await leastAmountFor(db, source, replaced.length, safePrice)
  if (least !== null && source.amountA < least) return { is: 'refused', reason: 'TOO_MANY_SAFES' }
  const { intentId, paramsHash, blobsHashBefore, feeBps, recipientClass } = message
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'anchorIntent',
    args: [
      ...([intentId, paramsHash, blobsHashBefore, feeBps, recipientClass] as const),
      ...([encryptedBlob, signature] as const),
    ],
  })
  return requestIfFeeCovers(reactor, state, effect, data, feeBps)
}
