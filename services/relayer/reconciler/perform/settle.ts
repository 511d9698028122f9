import { encodeFunctionData } from 'viem'
import { confirmationsFor } from '../../../../core/settlement/confirmationsFor.ts'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import type { Delivery } from '../../../../src/intent/facts.ts'
import { attestSettlement } from '../../settlement/attestDelivery.ts'
import { fieldsOf, saveSigned } from '../../settlement/signedStore.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { callBridge } from './callBridge.ts'
import { depositAt } from './depositAt.ts'

/** Has enclaves attest the delivery, by proofs that they check themselves, and requests the settlement. */
export async function settle(
  reactor: Reactor,
  state: IntentState,
  effect: Extract<Effect, { kind: 'settle' }>,
): Promise<Outcome> {
  const { source } = state.facts
  const delivery = effect.deliveries.at(-1) as Delivery
  const chain = reactor.configured.get(delivery.destChainId)
  if (!chain) return { is: 'refused', reason: 'CHAIN_NOT_CONFIGURED' }
  const attested = await attestSettlement(reactor.signing, source, depositAt(reactor, state), {
    from: delivery.solvedBlock,
    head: state.clocks.get(delivery.destChainId)?.blockNumber ?? 0,
    depth: confirmationsFor(chain, delivery.tokenB, delivery.amountB),
  })
  if (attested.is === 'early') return { is: 'waiting', reason: 'NOT_CONFIRMED' }
  const { answer, signatures, signers } = attested.by
  const { sourceChainId, intentId, paramsHash } = source
  await saveSigned(reactor.vault.db, {
    ...{ kind: 'settle', sourceChainId, intentId, paramsHash, proposalDigest: null, bytes: null },
    ...{ message: fieldsOf(answer.message), signatures, signers },
  })
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'settleIntent',
    args: [answer.message, signatures],
  })
  return callBridge(reactor, state, effect, data)
}
