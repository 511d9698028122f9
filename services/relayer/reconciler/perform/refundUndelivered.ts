import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import { attestNotDelivered } from '../../settlement/attestDelivery.ts'
import { fieldsOf, saveSigned } from '../../settlement/signedStore.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { callBridge } from './callBridge.ts'
import { depositAt } from './depositAt.ts'

/** Has enclaves attest that nothing was delivered in time, and the sender's money sent back at once. */
export async function undelivered(
  reactor: Reactor,
  state: IntentState,
  effect: Extract<Effect, { kind: 'undelivered' }>,
): Promise<Outcome> {
  const { source } = state.facts
  const { sourceChainId, intentId, paramsHash, destChainId } = source
  const chain = reactor.configured.get(destChainId)
  if (!chain) return { is: 'refused', reason: 'CHAIN_NOT_CONFIGURED' }
  const { confirmations: depth } = chain
  const head = state.clocks.get(destChainId)?.blockNumber ?? 0
  // The block's time shows whether it is past the deadline; the enclave checks that.
  const from = Math.max(0, head - depth)
  const deposit = depositAt(reactor, state)
  const attested = await attestNotDelivered(reactor.signing, source, deposit, { from, head, depth })
  if (attested.is === 'early') return { is: 'waiting', reason: 'NOT_CONFIRMED' }
  const { answer, signatures, signers } = attested.by
  await saveSigned(reactor.vault.db, {
    ...{ kind: 'undelivered', sourceChainId, intentId, paramsHash, proposalDigest: null },
    ...{ bytes: null, message: fieldsOf(answer.message), signatures, signers },
  })
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'refundUndelivered',
    args: [answer.message, signatures],
  })
  return callBridge(reactor, state, effect, data)
}
