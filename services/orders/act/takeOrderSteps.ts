import { encodeFunctionData } from 'viem'
import { decideOrder, type OrderIntention } from '../../../core/order/decideOrder.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import { orderSlots } from '../../../core/proof/storage/orderRecord.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { isOver } from '../../chain/transactions/transaction.ts'
import { inParallel } from '../../process/inParallel.ts'
import type { Followed } from '../follow/followVault.ts'
import type { OrdersContext, ServedChain, Step } from '../ordersContext.ts'
import { collectSigned } from './collectSigned.ts'
import type { GasRefusal } from './decideGas.ts'
import { gasOfTranches } from './gasAccount.ts'
import { nextCheckAt } from './nextCheckAt.ts'
import { queueForGas } from './queueForGas.ts'
import { findEffect, requestEffect } from './requestEffect.ts'
import { requestWithinGasBudget } from './requestWithinGasBudget.ts'
import { vaultSignatureJudge } from './vaultSignatureJudge.ts'

/** Milliseconds until a step that is under way is checked again. */
const LOOK_AFTER = 1_500

/** Milliseconds before a step that failed is tried again, doubled with each failure, and at most. */
const RETRY = 2_000
const LONGEST_RETRY = 300_000

/** Steps of one look at most, so that the chain is looked at again meanwhile; how many side by side. */
const MOST_STEPS = 200
const AT_ONCE = 16

/**
 * Takes every step that is due on a chain: at most one for each order, and none that is under way. What
 * keeps one from being taken is remembered with the order and keeps no other.
 */
export async function takeOrderSteps(
  context: OrdersContext,
  chain: ServedChain,
  followed: Followed,
): Promise<void> {
  const { timestamp: now } = followed.head
  await noteWaiting(context, chain, followed)
  const due = [...followed.book.all()].filter(
    (order) => !chain.waiting.has(order.facts.orderId) && isDue(chain, order, now),
  )
  await inParallel(nextTurns(due, chain.steps), AT_ONCE, (order) =>
    takeStep(context, chain, order, followed),
  )
}

/** Whose turn it is: those that were handled the longest ago, or never. */
export function nextTurns(
  due: readonly OrderState[],
  steps: ReadonlyMap<Hex, Pick<Step, 'againAt'>>,
): OrderState[] {
  const lastLook = ({ facts }: OrderState) => steps.get(facts.orderId)?.againAt ?? 0
  return due.toSorted((one, other) => lastLook(one) - lastLook(other)).slice(0, MOST_STEPS)
}

/** Finds whose tranches wait for the service's gas, and marks each. */
async function noteWaiting(
  context: OrdersContext,
  chain: ServedChain,
  followed: Followed,
): Promise<void> {
  chain.waiting = await queueForGas(context, chain, followed)
  for (const [orderId, problem] of chain.waiting) {
    const n = followed.book.find(orderId)?.tranches.length ?? 0
    const name = nameOf({ type: 'TrancheFired', n })
    const before = chain.steps.get(orderId)
    const failures = before?.name === name ? before.failures : 0
    chain.steps.set(orderId, { name, againAt: Date.now(), failures, problem })
  }
}

/** Whether an order has something to be done on its chain at this time. */
export function isDue(chain: ServedChain, order: OrderState, now: number): boolean {
  const at = nextCheckAt(order)
  if (at === null) chain.steps.delete(order.facts.orderId)
  if (at === null || now < at) return false
  const step = chain.steps.get(order.facts.orderId)
  return step === undefined || step.againAt <= Date.now()
}

async function takeStep(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
  { head }: Followed,
): Promise<void> {
  const { orderId, tokenA } = order.facts
  const decided = decideOrder({ type: 'advance' }, order, head.timestamp)
  const [intention] = decided === 'CLOSED' ? [] : decided
  if (intention === undefined) return
  const name = nameOf(intention)
  const before = chain.steps.get(orderId)
  const failures = before?.name === name ? before.failures : 0
  const note = (againIn: number, failed: number, problem: string | null) =>
    chain.steps.set(orderId, { name, againAt: Date.now() + againIn, failures: failed, problem })
  if (intention.type === 'TrancheFired' && chain.halted.has(tokenA)) {
    note(LOOK_AFTER, failures, 'LEDGER_SHORTFALL')
    return
  }
  note(LOOK_AFTER, failures, before?.name === name ? before.problem : null)
  try {
    const found = await requestStep(context, chain, order, intention, head.number)
    if (found?.isOver) note(retryIn(failures), failures + 1, found.problem)
    else note(LOOK_AFTER, failures, found?.problem ?? null)
  } catch (error) {
    const { code = 'STEP_FAILED' } = error as { code?: string }
    note(retryIn(failures), failures + 1, String(code))
    context.events.stepFailed(name, chain.name, orderId, error)
  }
}

function retryIn(failures: number): number {
  return Math.min(RETRY * 2 ** Math.min(failures, 20), LONGEST_RETRY)
}

function nameOf(intention: OrderIntention): string {
  return intention.type === 'TrancheFired' ? `fireTranche ${intention.n}` : 'closeOrder'
}

type Problem = { problem: string | null; isOver: boolean }

const UNDER_WAY: Problem = { problem: null, isOver: false }

/**
 * Null when the step was requested now; else the state of the transaction that was requested
 * before.
 */
async function requestStep(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
  intention: OrderIntention,
  head: number,
): Promise<Problem | null> {
  const { orderId } = order.facts
  const close = { kind: 'closeOrder', orderId } as const
  const isClose = intention.type === 'OrderClosed'
  const effect = isClose ? close : ({ kind: 'fireTranche', orderId, n: intention.n } as const)
  if (!isClose) {
    const closing = await findEffect(context, chain, close)
    // Its owner has cancelled it, and the chain doesn't show that yet.
    if (closing !== null && !isOver(closing)) return UNDER_WAY
  }
  const known = await findEffect(context, chain, effect)
  if (known !== null && !isOver(known)) return { problem: known.problem, isOver: false }
  // Our view of the chain may be older than the sender's.
  if (known?.succeeded && (known.blockNumber ?? 0) > head) return UNDER_WAY
  const failed = known?.state === 'failed' ? known.problem : null
  const step = chain.steps.get(orderId)
  // A failure is logged when first seen; after a pause the step is tried again.
  if (failed !== null && step?.problem === null) return { problem: failed, isOver: true }
  if (isClose) {
    if (!(await requestClose(context, chain, order))) return UNDER_WAY
  } else {
    const refusal = await requestTranche(context, chain, order, intention.n)
    if (refusal !== null) return { problem: refusal, isOver: false }
  }
  context.events.asked(effect.kind, chain.name, orderId, isClose ? undefined : intention.n)
  return null
}

/** Why the service doesn't pay for it, where others took what was left since the line was looked at. */
async function requestTranche(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
  n: number,
): Promise<GasRefusal | null> {
  const { orderId, owner: payer, endTime: deadline } = order.facts
  const requested = await requestWithinGasBudget(context, chain, {
    ...{ effect: { kind: 'fireTranche', orderId, n }, payer, deadline },
    data: await firing(context, chain, order, n),
    gasRequest: { kind: 'fireTranche', gas: gasOfTranches(order) },
  })
  return typeof requested === 'string' ? requested : null
}

/** False while what the vault has stored isn't deep enough for the enclaves. */
async function requestClose(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
): Promise<boolean> {
  const { orderId, endTime: deadline } = order.facts
  const data = await closing(context, chain, order)
  if (data === null) return false
  await requestEffect(context, chain, { effect: { kind: 'closeOrder', orderId }, data, deadline })
  return true
}

/** The signed call of a tranche: the vault takes it from anybody, once it is due. */
export async function firing(
  context: Pick<OrdersContext, 'enclaves' | 'events'>,
  chain: Pick<ServedChain, 'name' | 'chainId' | 'vault' | 'nodes'>,
  { facts, encrypted }: OrderState,
  n: number,
): Promise<Hex> {
  const { quorum } = facts
  const request = { sourceChainId: chain.chainId, encrypted, n }
  const judge = vaultSignatureJudge(context, chain, 'FireTranche', quorum)
  const { answer, signatures } = await collectSigned(context.enclaves, quorum, judge, (enclave) =>
    enclave.signTranche(request),
  )
  return encodeFunctionData({
    ...{ abi: orderVaultAbi, functionName: 'fireTranche' },
    args: [facts.orderId, BigInt(n), answer.encryptedBlob, signatures],
  })
}

/** Null while what the vault has stored isn't deep enough for the enclaves. */
async function closing(
  context: OrdersContext,
  chain: ServedChain,
  { facts }: OrderState,
): Promise<Hex | null> {
  const { orderId, quorum } = facts
  const head = Number(await chain.client.getBlockNumber())
  const block = Math.max(0, head - chain.config.confirmations)
  const { evidence: vault } = await chain.storage.prove(orderSlots(orderId), block)
  const request = { sourceChainId: chain.chainId, orderId, by: { vault } }
  try {
    const judge = vaultSignatureJudge(context, chain, 'CloseOrder', quorum)
    const { signatures } = await collectSigned(context.enclaves, quorum, judge, (enclave) =>
      enclave.signClose(request),
    )
    return closeCall(orderId, signatures)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'WRONG_PHASE' || code === 'NOT_CONFIRMED') return null
    throw error
  }
}

export function closeCall(orderId: Hex, signatures: readonly Hex[]): Hex {
  return encodeFunctionData({
    ...{ abi: orderVaultAbi, functionName: 'closeOrderSigned', args: [orderId, signatures] },
  })
}
