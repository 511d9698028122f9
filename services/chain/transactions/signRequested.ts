import { mapInParallel } from '../../process/mapInParallel.ts'
import { classifyRevert } from './classifyRevert.ts'
import { recordTransactionEnd, recordTransactionWaiting } from './recordTransactionEnd.ts'
import type { ChainView, Pass } from './senderContext.ts'
import { sendTransactionVersions } from './sendTransactionVersions.ts'
import { type SigningFailure, signTransactionVersions } from './signTransactionVersions.ts'
import { type Simulation, simulateUnlessStale } from './simulateCall.ts'
import { CANCELLATION_GAS, calculateFirstFees, type Fees } from './transactionFees.ts'
import type { Transaction } from './transactionRow.ts'
import {
  loadRequested,
  loadSigned,
  type SignedTransaction,
  saveDataFees,
} from './transactionStore.ts'

/** What the account can still spend, and the nonces in use, as the pass proceeds. */
type Resources = { balance: bigint; nonces: number[] }

/** A transaction that would succeed now, with its gas limit and fees. */
type Payable = { transaction: Transaction; gas: bigint; fees: Fees }

/** A transaction and what it would do if it were mined now. */
type Simulated = { transaction: Transaction; simulation: Simulation; l1Fee: bigint }

const CONCURRENT_SIMULATIONS = 256

/**
 * Limit on transactions sent together. The window starts at one and grows eightfold while nodes accept everything, so
 * that a refusal shows before many others wait behind it.
 */
const LARGEST_WINDOW = 128
const WINDOW_GROWTH = 8

/** Simulates requested transactions, the most urgent first, as many as may become unmined ones. */
export async function simulateRequested(
  pass: Pass,
  signed: readonly SignedTransaction[],
): Promise<Simulated[]> {
  const { context, db, view } = pass
  const { account, chainId, maxUnmined } = context
  const unmined = signed.filter(({ state }) => state !== 'mined').length
  const requested = await loadRequested(db, account, chainId, Math.max(0, maxUnmined - unmined))
  return mapInParallel(requested, CONCURRENT_SIMULATIONS, async (transaction) => {
    context.onPhase('chosen', transaction)
    const [simulation, l1Fee] = await Promise.all([
      simulateUnlessStale(context, transaction, view),
      context.dataFees.of(transaction),
    ])
    // A reverted one uses its nonce too: code delegated by EIP-7702 may refuse transfers.
    if (transaction.kind === 'fill' && simulation.outcome === 'reverts')
      return { transaction, simulation: { outcome: 'succeeds', gas: CANCELLATION_GAS }, l1Fee }
    return { transaction, simulation, l1Fee }
  })
}

/**
 * Signs and sends the transactions that would succeed, in their order.
 *
 * @returns how many wait because the balance doesn't cover their gas
 * @throws while the next nonce rests on one of several nodes
 */
export async function signRequested(pass: Pass, simulated: readonly Simulated[]): Promise<number> {
  const { context, db, view } = pass
  if (simulated.length === 0) return 0
  const signed = await loadSigned(db, context.account, context.chainId)
  requireKnownNonce(pass, signed)
  const resources: Resources = {
    balance: view.balance - reservedWei(signed, view.next),
    nonces: signed.map(({ nonce }) => nonce),
  }
  const payable: Payable[] = []
  let outOfGas = 0
  await saveDataFees(db, simulated)
  for (const one of simulated) {
    const result = await checkPayable(pass, resources, one)
    if (result === 'out-of-gas') outOfGas += 1
    else if (result !== null) payable.push(result)
  }
  await sendAll(pass, resources, payable)
  return outOfGas
}

/**
 * How many transactions of the account may be unknown: those that were requested again have lost their nonces, and an
 * operator may have sent some. So many empty ones would cost little.
 */
const MOST_UNKNOWN = 16

/**
 * Signs nothing at a nonce far above the known ones that only one of several nodes vouches for: if it is too high,
 * everything would wait until each nonce below it had been filled, at the account's cost. Honest nodes name such a nonce
 * after a backup was restored.
 */
function requireKnownNonce(
  { context: { progress }, view }: Pass,
  signed: readonly SignedTransaction[],
): void {
  const known = Math.max(progress.confirmedCount, ...signed.map(({ nonce }) => nonce + 1))
  const named = Math.max(view.next, view.pending)
  if (!view.isByOne || named <= known + MOST_UNKNOWN) return
  throw new Error(
    `a single node counts ${named} transactions of the account, of which ${known} are known: waiting for another node`,
  )
}

/** Wei that unmined transactions may still cost. */
function reservedWei(signed: readonly SignedTransaction[], next: number): bigint {
  return signed.reduce((sum, { nonce, versions, value, l1Fee }) => {
    const newest = versions.at(-1)
    if (!newest || nonce < next) return sum
    return sum + newest.gasLimit * newest.maxFeePerGas + value + l1Fee
  }, 0n)
}

/** Ends a transaction that would revert. @returns null for one that isn't to be sent now */
async function checkPayable(
  pass: Pass,
  resources: Resources,
  { transaction, simulation, l1Fee }: Simulated,
): Promise<Payable | 'out-of-gas' | null> {
  const { context, view } = pass
  if (simulation.outcome === 'reverts') {
    await recordTransactionEnd(pass, transaction, classifyRevert(transaction.kind, simulation))
    return null
  }
  if (simulation.outcome === 'unknown') {
    await recordTransactionWaiting(pass, transaction, {
      problem: 'NOT_SIMULATED',
      detail: simulation.detail,
    })
    return null
  }
  const { gas } = simulation
  const fees = calculateFirstFees(view.market, context.maxFeePerGas)
  const cost = gas * fees.maxFeePerGas + transaction.value + l1Fee
  if (cost > resources.balance) {
    const detail = `the account needs ${cost} wei and has ${resources.balance} left`
    await recordTransactionWaiting(pass, transaction, { problem: 'OUT_OF_GAS', detail })
    return 'out-of-gas'
  }
  resources.balance -= cost
  return { transaction, gas, fees }
}

async function sendAll(
  pass: Pass,
  resources: Resources,
  payable: readonly Payable[],
): Promise<void> {
  const { progress } = pass.context
  let sent = 0
  while (sent < payable.length) {
    const group = payable.slice(sent, sent + progress.windowSize)
    const { handled, mayContinue } = await sendGroup(pass, resources, group)
    progress.windowSize = mayContinue
      ? Math.min(LARGEST_WINDOW, progress.windowSize * WINDOW_GROWTH)
      : 1
    if (!mayContinue) return
    sent += handled
  }
}

/** @returns how many need nothing more now, and whether the next ones may follow */
async function sendGroup(
  pass: Pass,
  resources: Resources,
  group: readonly Payable[],
): Promise<{ handled: number; mayContinue: boolean }> {
  const { context, view } = pass
  const nonces = [...resources.nonces]
  const requested = group.map(({ transaction, gas, fees }) => {
    const nonce = nextNonce(view, transaction, nonces)
    nonces.push(nonce)
    return { transaction, version: { ...fees, nonce, gas } }
  })
  const { signed, failed } = await signTransactionVersions(pass, requested)
  for (const { transaction, version } of signed) {
    resources.nonces.push(version.nonce)
    const { hash, nonce } = version
    context.onEvent({ type: 'signed', transaction, hash, nonce })
  }
  const results = await sendTransactionVersions(pass, signed)
  const areAccepted = results.every(({ kind }) => kind === 'accepted')
  if (failed === null) return { handled: signed.length, mayContinue: areAccepted }
  const mayContinue = await recordSigningFailure(pass, failed.transaction, failed.failure)
  return { handled: signed.length + 1, mayContinue: mayContinue && areAccepted }
}

/** @returns whether the signer may sign the next one: yes after a refusal, no if it can't be reached */
async function recordSigningFailure(
  pass: Pass,
  transaction: Transaction,
  { isFinal, problem, detail }: SigningFailure,
): Promise<boolean> {
  if (isFinal) await recordTransactionEnd(pass, transaction, { state: 'failed', problem, detail })
  else await recordTransactionWaiting(pass, transaction, { problem, detail })
  return isFinal
}

/**
 * A pending transaction that isn't ours was sent with the same key elsewhere, or by us before the database was lost: the
 * next nonce goes behind it rather than replacing it. Only a gap fill, which ours wait for, takes its nonce.
 */
function nextNonce(
  { next, pending }: ChainView,
  { kind }: Transaction,
  nonces: readonly number[],
): number {
  const mayReplace = kind === 'fill' && nonces.length > 0
  return chooseNonce(mayReplace ? next : Math.max(next, pending), nonces)
}

/**
 * The next transaction's nonce: the lowest free one, so that a freed nonce is reused before a new one.
 *
 * @param next number of the account's mined transactions
 * @param inUse nonces of live transactions, in any order
 */
export function chooseNonce(next: number, inUse: Iterable<number>): number {
  const used = new Set(inUse)
  let nonce = next
  while (used.has(nonce)) nonce += 1
  return nonce
}
