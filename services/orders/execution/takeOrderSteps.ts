import { encodeFunctionData } from 'viem'
import { decideOrderAction, type OrderAction } from '../../../core/order/decideOrderAction.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import { listOrderSlots } from '../../../core/proof/storage/orderRecord.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { isOver, type Transaction } from '../../chain/transactions/transactionRow.ts'
import { mapInParallel } from '../../process/mapInParallel.ts'
import { collectSignatures } from '../../quorum/collectSignatures.ts'
import type { VaultSnapshot } from '../follow/followVault.ts'
import { readCiphertext } from '../follow/readCiphertext.ts'
import type { GasRefusal } from '../gas/decideGasPayment.ts'
import { findNextStepTime, findTranchesWaitingForGas } from '../gas/findTranchesWaitingForGas.ts'
import { gasOfTranches } from '../gas/ownerGasAccounts.ts'
import { requestWithinGasBudget } from '../gas/requestWithinGasBudget.ts'
import type { OrdersContext, ServedChain, Step } from '../ordersContext.ts'
import { chooseNextTurns } from './chooseNextTurns.ts'
import { repeatCancel } from './repeatCancel.ts'
import { findClose, findVaultCall, requestVaultCall } from './requestVaultCall.ts'
import { createVaultSignatureJudge } from './vaultSignatureJudge.ts'

/** Milliseconds until a pending step is checked again. */
const CHECK_MS = 1_500

/** Milliseconds until a failed step is retried: the first delay, doubled with each failure, and the longest. */
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 300_000

/** Steps at once. */
const CONCURRENCY = 16

/** One payer for all: the sender lets only a few calls of one payer precede others', and thousands of orders can end at once. */
const PAYER_OF_CLOSINGS = 'closings'

/**
 * Takes the due steps of a chain, at most one per order and none that is pending. A failure is recorded with its
 * order and delays no other.
 */
export async function takeOrderSteps(
  context: OrdersContext,
  chain: ServedChain,
  snapshot: VaultSnapshot,
): Promise<void> {
  const { timestamp: now } = snapshot.head
  const { chainId } = chain
  const latest = { chainId, blockNumber: snapshot.head.number, timestamp: now }
  await context.wakeSilentChain(latest, (clock) => isStepDue(chain, snapshot, clock))
  await markWaiting(context, chain, snapshot)
  forgetEnded(chain, snapshot)
  const due = [...snapshot.book.open()].filter(
    (order) => !chain.waiting.has(order.facts.orderId) && isDue(chain, order, now),
  )
  await mapInParallel(chooseNextTurns(due, chain.steps, now), CONCURRENCY, (order) =>
    takeStep(context, chain, order, snapshot),
  )
}

/** Whether a step comes due after the latest block and by this time. */
function isStepDue({ halted }: ServedChain, { book, head }: VaultSnapshot, clock: number): boolean {
  return [...book.open()].some((order) => {
    const at = findNextStepTime(order)
    return at !== null && at > head.timestamp && at <= clock && !halted.has(order.facts.tokenA)
  })
}

/** Forgets the latest step of orders that need none any more. */
function forgetEnded({ steps }: ServedChain, { book }: VaultSnapshot): void {
  for (const orderId of steps.keys()) {
    const order = book.find(orderId)
    if (order !== null && findNextStepTime(order) === null) steps.delete(orderId)
  }
}

/** Records which due tranches wait for the service's gas. */
async function markWaiting(
  context: OrdersContext,
  chain: ServedChain,
  snapshot: VaultSnapshot,
): Promise<void> {
  chain.waiting = await findTranchesWaitingForGas(context, chain, snapshot)
  for (const [orderId, problem] of chain.waiting) {
    const n = snapshot.book.find(orderId)?.tranches.length ?? 0
    const name = nameOf({ type: 'TrancheFired', n })
    const before = chain.steps.get(orderId)
    const failures = before?.name === name ? before.failures : 0
    chain.steps.set(orderId, { name, checkAt: performance.now(), failures, problem })
  }
}

/** Whether an order's next step is due at this time of its chain, and not delayed by a retry. */
export function isDue(chain: ServedChain, order: OrderState, now: number): boolean {
  const at = findNextStepTime(order)
  if (at === null || now < at) return false
  const step = chain.steps.get(order.facts.orderId)
  return step === undefined || step.checkAt <= performance.now()
}

async function takeStep(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
  { head }: VaultSnapshot,
): Promise<void> {
  const { orderId, tokenA } = order.facts
  const decided = decideOrderAction({ type: 'advance' }, order, head.timestamp)
  const [intention] = decided === 'CLOSED' ? [] : decided
  if (intention === undefined) return
  const name = nameOf(intention)
  const before = chain.steps.get(orderId)
  const failures = before?.name === name ? before.failures : 0
  const note = (againIn: number, failed: number, problem: string | null) =>
    chain.steps.set(orderId, {
      name,
      checkAt: performance.now() + againIn,
      failures: failed,
      problem,
    })
  if (intention.type === 'TrancheFired' && chain.halted.has(tokenA)) {
    note(CHECK_MS, failures, 'LEDGER_SHORTFALL')
    return
  }
  note(CHECK_MS, failures, before?.name === name ? before.problem : null)
  try {
    const state = await requestStep(context, chain, order, intention, head.number)
    if (state?.isOver) note(retryIn(failures), failures + 1, state.problem)
    else note(CHECK_MS, failures, state?.problem ?? null)
  } catch (error) {
    const { code = 'STEP_FAILED' } = error as { code?: string }
    note(retryIn(failures), failures + 1, String(code))
    context.events.stepFailed(name, chain.name, orderId, error)
  }
}

function retryIn(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 20), MAX_RETRY_MS)
}

function nameOf(intention: OrderAction): string {
  return intention.type === 'TrancheFired' ? `fireTranche ${intention.n}` : 'closeOrder'
}

/** The state of a step's earlier transaction. */
type StepState = { problem: string | null; isOver: boolean }

const PENDING: StepState = { problem: null, isOver: false }

/** Requests a step. Returns null when it did, or else the state of the transaction that was requested earlier. */
async function requestStep(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
  intention: OrderAction,
  head: number,
): Promise<StepState | null> {
  const { orderId } = order.facts
  const close = { kind: 'closeOrder', orderId } as const
  const isClose = intention.type === 'OrderClosed'
  const effect = isClose ? close : ({ kind: 'fireTranche', orderId, n: intention.n } as const)
  const now = context.settings.now()
  if (!isClose) {
    const closing = await findClose(context, chain, orderId)
    // The owner has cancelled the order, which the chain doesn't show yet.
    if (closing !== null && (!isOver(closing) || mayBeInLaterBlock(closing, head, now)))
      return PENDING
    if (closing !== null && (await repeatCancel(context, chain, order.facts, closing)))
      // As a failure, so that one that reverts each time is repeated less and less often.
      return { problem: 'CANCEL_FAILED', isOver: true }
  }
  const previous = await findVaultCall(context, chain, effect)
  const waiting = judgeEarlierCall(previous, head, chain.steps.get(orderId), now)
  if (waiting !== null) return waiting
  if (isClose) {
    if (!(await requestClose(context, chain, order, head))) return PENDING
  } else {
    const refusal = await requestTranche(context, chain, order, intention.n)
    if (refusal !== null) return { problem: refusal, isOver: false }
  }
  context.events.requested(effect.kind, chain.name, orderId, isClose ? undefined : intention.n)
  return null
}

/** Seconds after which the block of a step isn't waited for any more: a node may have invented it. */
const BLOCK_COUNTS_SECONDS = 3_600

/**
 * What a step waits for, by the transaction that was requested for it earlier; null when it is to be requested now.
 *
 * @param head the latest block read
 * @param step the step's state, as it was noted last
 * @param now unix seconds
 */
export function judgeEarlierCall(
  previous: Transaction | null,
  head: number,
  step: Pick<Step, 'problem'> | undefined,
  now: number,
): StepState | null {
  if (previous === null) return null
  if (!isOver(previous)) return { problem: previous.problem, isOver: false }
  if (mayBeInLaterBlock(previous, head, now)) return PENDING
  const failure = previous.state === 'failed' ? previous.problem : null
  // A failure is reported first; the step is retried after a delay.
  return failure !== null && step?.problem === null ? { problem: failure, isOver: true } : null
}

/** Whether the sender has read a later block with the call. A row that is dated in the future has been tampered with. */
function mayBeInLaterBlock(call: Transaction, head: number, now: number): boolean {
  const isRecent = Math.abs(now - Number(call.changedAt) / 1_000) < BLOCK_COUNTS_SECONDS
  return call.succeeded === true && (call.blockNumber ?? 0) > head && isRecent
}

/** Requests a tranche. Returns why the service doesn't pay, if others have used up the budget since it was queued. */
async function requestTranche(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
  n: number,
): Promise<GasRefusal | null> {
  const { orderId, owner: payer, endTime: deadline } = order.facts
  const requested = await requestWithinGasBudget(context, chain, {
    effect: { kind: 'fireTranche', orderId, n },
    payer,
    deadline,
    data: await signTrancheCall(context, chain, order, n),
    gasRequest: { kind: 'fireTranche', gas: gasOfTranches(order) },
  })
  return typeof requested === 'string' ? requested : null
}

/** Requests the close. False while the vault's state is too recent for the enclaves. */
async function requestClose(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
  head: number,
): Promise<boolean> {
  const { orderId, endTime: deadline } = order.facts
  const data = await signedCloseCall(context, chain, order, head)
  if (data === null) return false
  await requestVaultCall(context, chain, {
    effect: { kind: 'closeOrder', orderId },
    data,
    deadline,
    payer: PAYER_OF_CLOSINGS,
  })
  return true
}

/** The signed call of a tranche. Anyone can send it once the tranche is due. */
export async function signTrancheCall(
  context: Pick<OrdersContext, 'db' | 'enclaves' | 'events'>,
  chain: Pick<ServedChain, 'name' | 'chainId' | 'vault' | 'nodes'>,
  order: OrderState,
  n: number,
): Promise<Hex> {
  const { orderId, quorum } = order.facts
  const encrypted = await readCiphertext(context.db, order)
  const request = { sourceChainId: chain.chainId, encrypted, n }
  const judge = createVaultSignatureJudge(context, chain, 'FireTranche', quorum)
  const { answer, signatures } = await collectSignatures(context.enclaves, judge, (enclave) =>
    enclave.signTranche(request),
  )
  return encodeFunctionData({
    abi: orderVaultAbi,
    functionName: 'fireTranche',
    args: [orderId, BigInt(n), answer.encryptedBlob, signatures],
  })
}

/** Null while the vault's state is too recent for the enclaves. */
async function signedCloseCall(
  context: OrdersContext,
  chain: ServedChain,
  { facts }: OrderState,
  head: number,
): Promise<Hex | null> {
  const { orderId, quorum } = facts
  const block = Math.max(0, head - chain.config.confirmations)
  const { evidence: vault } = await chain.storage.prove(listOrderSlots(orderId), block)
  const request = { sourceChainId: chain.chainId, orderId, by: { vault } }
  try {
    const judge = createVaultSignatureJudge(context, chain, 'CloseOrder', quorum)
    const { signatures } = await collectSignatures(context.enclaves, judge, (enclave) =>
      enclave.signClose(request),
    )
    return encodeCloseCall(orderId, signatures)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'WRONG_PHASE' || code === 'NOT_CONFIRMED') return null
    // Its node may have forged it, or be on a fork.
    chain.storage.doubt(vault)
    throw error
  }
}

export function encodeCloseCall(orderId: Hex, signatures: readonly Hex[]): Hex {
  return encodeFunctionData({
    abi: orderVaultAbi,
    functionName: 'closeOrderSigned',
    args: [orderId, signatures],
  })
}
