import { encodeFunctionData } from 'viem'
import { decideOrder, nextLookAt, type OrderIntention } from '../../../core/order/decideOrder.ts'
import type { OrderStory } from '../../../core/order/orderStory.ts'
import { orderSlots } from '../../../core/proof/storage/orderRecord.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findTransaction } from '../../chain/transactions/findTransaction.ts'
import { isOver } from '../../chain/transactions/transaction.ts'
import { minAuctionDuration } from '../chain/bridgeRules.ts'
import type { Desk, ServedChain } from '../desk.ts'
import type { Followed } from '../follow/followVault.ts'
import { collectSigned } from './collectSigned.ts'
import { type EffectKind, effectOf, wantEffect } from './wantEffect.ts'

/** Milliseconds until a step that is under way is looked after again. */
const LOOK_AFTER = 1_500

/** Milliseconds before a step that failed is tried again, doubled with each failure, and at most. */
const RETRY = 2_000
const LONGEST_RETRY = 300_000

/** Steps of one look at most, so that the chain is looked at again meanwhile; how many side by side. */
const AT_ONCE = 200
const LANES = 16

/**
 * Takes every step that is due on a chain: at most one for each order, and none that is under way. What
 * keeps one from being taken is remembered with the order and keeps no other.
 */
export async function takeSteps(desk: Desk, chain: ServedChain, followed: Followed): Promise<void> {
  const { timestamp: now } = followed.head
  const due = [...followed.book.all()].filter((story) => isDue(chain, story, now))
  const first = due.slice(0, AT_ONCE)
  const queue = first.values()
  const lane = async () => {
    for (const story of queue) await takeStep(desk, chain, story, followed)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** When an order is to be looked at, by its story: of ten thousand orders few have changed. */
const looks = new WeakMap<OrderStory, number | null>()

/** Whether an order has something to be done on its chain at this time. */
export function isDue(chain: ServedChain, story: OrderStory, now: number): boolean {
  let at = looks.get(story)
  if (at === undefined) {
    at = nextLookAt(story)
    looks.set(story, at)
  }
  if (at === null) chain.steps.delete(story.facts.orderId)
  if (at === null || now < at) return false
  const step = chain.steps.get(story.facts.orderId)
  return step === undefined || step.againAt <= Date.now()
}

async function takeStep(
  desk: Desk,
  chain: ServedChain,
  story: OrderStory,
  { head }: Followed,
): Promise<void> {
  const { orderId, tokenA } = story.facts
  const decided = decideOrder({ type: 'advance' }, story, head.timestamp)
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
    const problem = await want(desk, chain, story, intention, head.number)
    if (problem === null) note(LOOK_AFTER, failures, null)
    else if (problem.isOver) note(retryIn(failures), failures + 1, problem.problem)
    else note(LOOK_AFTER, failures, problem.problem)
  } catch (error) {
    const { code = 'STEP_FAILED' } = error as { code?: string }
    note(retryIn(failures), failures + 1, String(code))
    desk.events.stepFailed(name, chain.name, orderId, error)
  }
}

function retryIn(failures: number): number {
  return Math.min(RETRY * 2 ** Math.min(failures, 20), LONGEST_RETRY)
}

function nameOf(intention: OrderIntention): string {
  return intention.type === 'TrancheFired' ? `fireTranche ${intention.n}` : 'closeOrder'
}

type Problem = { problem: string | null; isOver: boolean }

/** Null when the step was asked for now; else how the transaction is that was asked for before. */
async function want(
  desk: Desk,
  chain: ServedChain,
  story: OrderStory,
  intention: OrderIntention,
  head: number,
): Promise<Problem | null> {
  const { orderId, endTime } = story.facts
  const kind: EffectKind = intention.type === 'TrancheFired' ? 'fireTranche' : 'closeOrder'
  const n = intention.type === 'TrancheFired' ? intention.n : undefined
  const effect = effectOf(kind, orderId, n)
  if (kind === 'fireTranche' && (await isClosing(desk, chain, orderId))) {
    return { problem: null, isOver: false }
  }
  const known = await findTransaction(desk.db, { kind, chainId: chain.chainId, effect })
  if (known !== null && !isOver(known)) return { problem: known.problem, isOver: false }
  // Our view of the chain may be older than the sender's.
  if (known?.succeeded && (known.blockNumber ?? 0) > head) return { problem: null, isOver: false }
  const failed = known?.state === 'failed' ? known.problem : null
  const step = chain.steps.get(orderId)
  // The first time that a failure is seen it is told and waited for; then it is tried again.
  if (failed !== null && step?.problem === null) return { problem: failed, isOver: true }
  const data =
    n === undefined ? await closing(desk, chain, story) : await firing(desk, chain, story, n)
  if (data === null) return { problem: null, isOver: false }
  await wantEffect(desk, chain, { kind, effect, data, deadline: endTime })
  desk.events.asked(kind, chain.name, orderId, n)
  return null
}

/** Whether the owner has ended it, and the chain doesn't show it yet. */
async function isClosing({ db }: Desk, { chainId }: ServedChain, orderId: Hex): Promise<boolean> {
  const effect = effectOf('closeOrder', orderId)
  const closing = await findTransaction(db, { kind: 'closeOrder', chainId, effect })
  return closing !== null && !isOver(closing)
}

async function firing(
  desk: Desk,
  chain: ServedChain,
  { facts, encrypted }: OrderStory,
  n: number,
): Promise<Hex> {
  const { chainId: sourceChainId } = chain
  const request = {
    sourceChainId,
    encrypted,
    n,
    minAuctionDuration: await minAuctionDuration(chain),
  }
  const { answer, signatures } = await collectSigned(desk.enclaves, facts.quorum, (enclave) =>
    enclave.signTranche(request),
  )
  return encodeFunctionData({
    ...{ abi: orderVaultAbi, functionName: 'fireTranche' },
    args: [facts.orderId, BigInt(n), answer.encryptedBlob, signatures],
  })
}

/** Null while what the vault has stored isn't deep enough for the enclaves. */
async function closing(desk: Desk, chain: ServedChain, { facts }: OrderStory): Promise<Hex | null> {
  const { orderId, quorum } = facts
  const head = Number(await chain.client.getBlockNumber())
  const block = Math.max(0, head - chain.config.confirmations)
  const { evidence: vault } = await chain.storage.prove(orderSlots(orderId), block)
  const request = { sourceChainId: chain.chainId, orderId, by: { vault } }
  try {
    const { signatures } = await collectSigned(desk.enclaves, quorum, (enclave) =>
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
