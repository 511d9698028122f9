import { inParallel } from '../../process/inParallel.ts'
import { chooseNonce } from './chooseNonce.ts'
import { endOfReverted } from './endOfReverted.ts'
import { type Fees, firstFees } from './fees.ts'
import { recordEnd, recordWaiting } from './recordOutcome.ts'
import type { ChainView, Pass } from './senderContext.ts'
import { loadChosen, loadUnderway, noteDataFees, type Underway } from './senderStore.ts'
import { sendVersions } from './sendVersions.ts'
import { signVersions, type Unsigned } from './signVersions.ts'
import { type Simulation, tryTransaction } from './simulateCall.ts'
import type { Transaction } from './transaction.ts'

/** What is left to spend, and which nonces are taken, as the pass goes on. */
type Funds = { left: bigint; held: number[] }

/** A transaction that would succeed now, and what it may take. */
type Payable = { transaction: Transaction; gas: bigint; fees: Fees }

/** A transaction and what it would do if it were mined now. */
type Tried = { transaction: Transaction; simulated: Simulation; l1Fee: bigint }

/** Calls that are tried at once. */
const TRIED = 256

/**
 * Transactions that are sent at once, at most. The first goes alone: when nodes accept it, more follow,
 * eight times as many each time, so that a refusal shows before others wait behind it.
 */
const WIDEST = 128
const WIDENING = 8

/** Tries requested transactions, the most urgent first, up to the number that may be under way. */
export async function tryPending(pass: Pass, underway: readonly Underway[]): Promise<Tried[]> {
  const { context, db, view } = pass
  const { account, chainId, atOnce } = context
  const unmined = underway.filter(({ state }) => state !== 'mined').length
  const chosen = await loadChosen(db, account, chainId, Math.max(0, atOnce - unmined))
  return inParallel(chosen, TRIED, async (transaction) => {
    context.onPhase('chosen', transaction)
    const [simulated, l1Fee] = await Promise.all([
      tryTransaction(context, transaction, view),
      context.dataFees.of(transaction),
    ])
    return { transaction, simulated, l1Fee }
  })
}

/**
 * Signs and sends those that would succeed, in their order: none waits for another's round trip to a node.
 *
 * @returns how many wait because the balance doesn't cover their gas
 */
export async function signPending(pass: Pass, tried: readonly Tried[]): Promise<number> {
  const { context, db, view } = pass
  if (tried.length === 0) return 0
  const underway = await loadUnderway(db, context.account, context.chainId)
  const funds: Funds = {
    left: view.balance - committed(underway, view.next),
    held: underway.map(({ nonce }) => nonce),
  }
  const payable: Payable[] = []
  let outOfGas = 0
  await noteDataFees(db, tried)
  for (const one of tried) {
    const found = await judge(pass, funds, one)
    if (found === 'out-of-gas') outOfGas += 1
    else if (found !== null) payable.push(found)
  }
  await sendAll(pass, funds, payable)
  return outOfGas
}

/** Wei that transactions without a block may still cost. */
function committed(underway: readonly Underway[], next: number): bigint {
  return underway.reduce((sum, { nonce, versions, value, l1Fee }) => {
    const newest = versions.at(-1)
    if (!newest || nonce < next) return sum
    return sum + newest.gasLimit * newest.maxFeePerGas + value + l1Fee
  }, 0n)
}

/** Ends what would revert; null for what isn't to be sent now. */
async function judge(
  pass: Pass,
  funds: Funds,
  { transaction, simulated, l1Fee }: Tried,
): Promise<Payable | 'out-of-gas' | null> {
  const { context, view } = pass
  if (simulated.outcome === 'reverts') {
    await recordEnd(pass, transaction, endOfReverted(transaction.kind, simulated))
    return null
  }
  if (simulated.outcome === 'unknown') {
    await recordWaiting(pass, transaction, { problem: 'NOT_SIMULATED', detail: simulated.detail })
    return null
  }
  const { gas } = simulated
  const fees = firstFees(view.market, context.maxFeePerGas)
  const cost = gas * fees.maxFeePerGas + transaction.value + l1Fee
  if (cost > funds.left) {
    const detail = `the account needs ${cost} wei and has ${funds.left} left`
    await recordWaiting(pass, transaction, { problem: 'OUT_OF_GAS', detail })
    return 'out-of-gas'
  }
  funds.left -= cost
  return { transaction, gas, fees }
}

async function sendAll(pass: Pass, funds: Funds, payable: readonly Payable[]): Promise<void> {
  const { context } = pass
  const { pace } = context
  let at = 0
  while (at < payable.length) {
    const group = payable.slice(at, at + pace.width)
    const { handled, mayGoOn } = await sendGroup(pass, funds, group)
    pace.width = mayGoOn ? Math.min(WIDEST, pace.width * WIDENING) : 1
    if (!mayGoOn) return
    at += handled
  }
}

/** @returns how many are done with, and whether the next may follow */
async function sendGroup(
  pass: Pass,
  funds: Funds,
  group: readonly Payable[],
): Promise<{ handled: number; mayGoOn: boolean }> {
  const { context, view } = pass
  const held = [...funds.held]
  const requested = group.map(({ transaction, gas, fees }) => {
    const nonce = nextNonce(view, held)
    held.push(nonce)
    return { transaction, version: { ...fees, nonce, gas } }
  })
  const { signed, unsigned } = await signVersions(pass, requested)
  for (const { transaction, version } of signed) {
    funds.held.push(version.nonce)
    const { hash, nonce } = version
    context.onEvent({ type: 'signed', transaction, hash, nonce })
  }
  const answers = await sendVersions(pass, signed)
  const areTaken = answers.every(({ is }) => is === 'taken')
  if (unsigned === null) return { handled: signed.length, mayGoOn: areTaken }
  const mayGoOn = await recordUnsigned(pass, unsigned.transaction, unsigned.why)
  return { handled: signed.length + 1, mayGoOn: mayGoOn && areTaken }
}

/** A signer that refuses this one may sign the next; an unreachable one can sign none. */
async function recordUnsigned(
  pass: Pass,
  transaction: Transaction,
  { isFinal, problem, detail }: Unsigned,
): Promise<boolean> {
  if (isFinal) await recordEnd(pass, transaction, { state: 'failed', problem, detail })
  else await recordWaiting(pass, transaction, { problem, detail })
  return isFinal
}

/**
 * With none of our own under way, what waits for a block was sent by somebody with the same key, or by
 * us before the database was lost: queue behind it rather than replace it.
 */
function nextNonce({ next, pending }: ChainView, held: readonly number[]): number {
  return chooseNonce(held.length === 0 ? Math.max(next, pending) : next, held)
}
