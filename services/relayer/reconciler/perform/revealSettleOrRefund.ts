import {
  findDeliveryConfirmations,
  findDepositConfirmations,
} from '../../../../core/settlement/requiredConfirmations.ts'
import type { Delivery } from '../../../../src/intent/intentFacts.ts'
import { encodeBridgeCall } from '../../../chain/encodeBridgeCall.ts'
import { EnclaveError } from '../../../enclave/enclaveError.ts'
import {
  attestNotDelivered,
  attestSettlement,
} from '../../settlement/requestDeliveryAttestations.ts'
import { type DepositAt, revealRecipients } from '../../settlement/revealRecipients.ts'
import { blockOn } from '../findDesiredEffects.ts'
import { type ReactionContext, requireChain } from '../reactionContext.ts'
import type { EffectOf, IntentState, Outcome } from '../reconcilerEffect.ts'
import { callBridge } from './callBridge.ts'
import { gasOf } from './findGasRefusal.ts'
import { readRefundGas } from './refundGas.ts'

/** Until the day's gas for refunds has room for it. */
const GAS_BUDGET_SPENT = { is: 'waiting', reason: 'GAS_BUDGET_SPENT' } as const
const NOT_CONFIRMED = { is: 'waiting', reason: 'NOT_CONFIRMED' } as const
/** Until an operator adds the chain, or the reactions are restarted with the chains file that the indexer has already. */
const NOT_CONFIGURED = { is: 'waiting', reason: 'CHAIN_NOT_CONFIGURED' } as const

/** Reveals the recipients on chain, sealed to the winner's key, after the winner asked for them there. */
export async function reveal(
  reactor: ReactionContext,
  state: IntentState,
  effect: EffectOf<'reveal'>,
): Promise<Outcome> {
  const { source } = state.facts
  const found = await revealRecipients(reactor.signing, source, depositAt(reactor, state))
  if (found.is === 'early') return NOT_CONFIRMED
  const { answer, signatures } = found.reveal
  const data = encodeBridgeCall('revealRecipients', [source.intentId, answer.sealed, signatures])
  return callBridge(reactor, state, effect, data)
}

/** Has the enclaves attest the delivery, by proofs that they check themselves, and requests the settlement. */
export async function settle(
  reactor: ReactionContext,
  state: IntentState,
  effect: EffectOf<'settle'>,
): Promise<Outcome> {
  const { solvedBlock } = effect.deliveries.at(-1) as Delivery
  return settleShown(reactor, state, effect, { from: solvedBlock })
}

/** @param shownAt the destination's block, or time, from which the chain shows the delivery */
async function settleShown(
  reactor: ReactionContext,
  state: IntentState,
  effect: EffectOf<'settle' | 'undelivered'>,
  shownAt: { from: number; since?: number },
): Promise<Outcome> {
  const { source } = state.facts
  const depth = destinationDepth(reactor, state)
  if (depth === null) return NOT_CONFIGURED
  const delivery = { ...shownAt, ...depth }
  const attested = await attestSettlement(
    reactor.signing,
    source,
    depositAt(reactor, state),
    delivery,
  )
  if (attested.is === 'early') return NOT_CONFIRMED
  const { answer, signatures } = attested.by
  const data = encodeBridgeCall('settleIntent', [answer.message, signatures])
  return callBridge(reactor, state, effect, data)
}

/**
 * Has the enclaves attest that nothing was delivered in time, and requests the sender's refund. If they find a delivery that
 * the index lacks, settles it instead: nobody else would, and the winner would lose everything.
 */
export async function refundUndelivered(
  reactor: ReactionContext,
  state: IntentState,
  effect: EffectOf<'undelivered'>,
): Promise<Outcome> {
  const { source } = state.facts
  const depth = destinationDepth(reactor, state)
  if (depth === null) return NOT_CONFIGURED
  const since = source.fillDeadline ?? Number.POSITIVE_INFINITY
  const deposit = depositAt(reactor, state)
  const attested = await attestNotDelivered(reactor.signing, source, deposit, {
    ...depth,
    since,
  }).catch(whereDelivered)
  if (attested === 'delivered') return settleShown(reactor, state, effect, { from: 0, since })
  if (attested.is === 'early') return NOT_CONFIRMED
  const { answer, signatures } = attested.by
  const data = encodeBridgeCall('refundUndelivered', [answer.message, signatures])
  return callBridge(reactor, state, effect, data)
}

function whereDelivered(error: unknown): 'delivered' {
  if (error instanceof EnclaveError && error.code === 'DELIVERED') return 'delivered'
  throw error
}

/**
 * Refunds the sender. Anyone can do so; nothing depends on the relayer, which pays for a limited number a day where nobody
 * bid, since creating and abandoning intents costs their sender little.
 */
export async function refund(
  reactor: ReactionContext,
  state: IntentState,
  effect: EffectOf<'refund'>,
): Promise<Outcome> {
  const { source } = state.facts
  const { intentId, sourceChainId, sender: payer } = source
  const data = encodeBridgeCall('refund', [intentId])
  if (source.phase !== 'open') return callBridge(reactor, state, effect, data)
  const chain = reactor.configured.get(sourceChainId)
  if (!chain) return NOT_CONFIGURED
  const { cap } = chain
  const l1Fee = await chain.dataFees.of({ to: chain.bridge, data })
  const own = await readRefundGas(reactor.bundles.db, sourceChainId, cap, payer)
  const call = { sender: payer, own, gas: gasOf(data) + (l1Fee + cap - 1n) / cap }
  return (await chain.refundGas.take(call))
    ? callBridge(reactor, state, effect, data, { payer, l1Fee })
    : GAS_BUDGET_SPENT
}

/** Where the winner's deposit is, and how many confirmations it needs, by configuration and escrow. */
function depositAt(reactor: Pick<ReactionContext, 'configured'>, state: IntentState): DepositAt {
  const { source } = state.facts
  const { sourceChainId } = source
  return {
    from: state.depositBlock ?? 0,
    head: blockOn(sourceChainId, state.clocks),
    depth: findDepositConfirmations(requireChain(reactor, sourceChainId), source),
  }
}

/** The destination's head, and the confirmations that a delivery there needs; null if it isn't configured. */
function destinationDepth(
  { configured }: Pick<ReactionContext, 'configured'>,
  state: IntentState,
): { head: number; depth: number } | null {
  const { source } = state.facts
  const chain = configured.get(source.destChainId)
  if (!chain) return null
  return {
    head: blockOn(source.destChainId, state.clocks),
    depth: findDeliveryConfirmations(chain, source),
  }
}
