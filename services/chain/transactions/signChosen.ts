import type pg from 'pg'
import { chooseNonce } from './chooseNonce.ts'
import { firstFees } from './fees.ts'
import { isDoneAlready } from './isDoneAlready.ts'
import type { ChainView, SenderContext } from './sender.ts'
import { loadChosen, loadUnderway, markOver, type Underway } from './senderStore.ts'
import { sendVersion } from './sendVersion.ts'
import { signVersion, type Unsigned } from './signVersion.ts'
import { tryTransaction } from './simulateCall.ts'
import { tellWaiting } from './tellWaiting.ts'
import type { Transaction } from './transaction.ts'

/** What is left to spend, and which nonces are taken, as the pass goes on. */
type Purse = { left: bigint; held: number[] }

/** Signs and sends transactions that are wanted, the oldest first, as many as may be under way. */
export async function signChosen(
  context: SenderContext,
  db: pg.ClientBase,
  view: ChainView,
): Promise<{ outOfGas: number }> {
  const { account, chainId, atOnce } = context
  const underway = await loadUnderway(db, account, chainId)
  const unmined = underway.filter(({ state }) => state !== 'mined').length
  const chosen = await loadChosen(db, account, chainId, Math.max(0, atOnce - unmined))
  const purse: Purse = {
    left: view.balance - committed(underway, view.next),
    held: underway.map(({ nonce }) => nonce),
  }
  let outOfGas = 0
  for (const transaction of chosen) {
    const outcome = await signOne(context, db, view, transaction, purse)
    if (outcome === 'out-of-gas') outOfGas += 1
    if (outcome === 'stop') break
  }
  return { outOfGas }
}

/** Wei that transactions without a block may still cost. */
function committed(underway: readonly Underway[], next: number): bigint {
  return underway.reduce((sum, { nonce, versions, value }) => {
    const newest = versions.at(-1)
    if (!newest || nonce < next) return sum
    return sum + newest.gasLimit * newest.maxFeePerGas + value
  }, 0n)
}

async function signOne(
  context: SenderContext,
  db: pg.ClientBase,
  view: ChainView,
  transaction: Transaction,
  purse: Purse,
): Promise<'under-way' | 'over' | 'waits' | 'out-of-gas' | 'stop'> {
  context.onPhase('chosen', transaction)
  const simulated = await tryTransaction(context, transaction, view)
  if (simulated.outcome === 'reverts') {
    const { error, detail } = simulated
    const state = isDoneAlready(transaction.kind, simulated) ? 'superseded' : 'failed'
    await markOver(db, transaction.id, state, error, detail)
    context.tell({ type: state, transaction, problem: error })
    return 'over'
  }
  if (simulated.outcome === 'unknown') {
    const { detail } = simulated
    await tellWaiting(context, db, transaction, { problem: 'NOT_SIMULATED', detail })
    return 'waits'
  }
  const fees = firstFees(view.market, context.maxFeePerGas)
  const cost = simulated.gas * fees.maxFeePerGas + transaction.value
  if (cost > purse.left) {
    const detail = `the account needs ${cost} wei and has ${purse.left} left`
    await tellWaiting(context, db, transaction, { problem: 'OUT_OF_GAS', detail })
    return 'out-of-gas'
  }
  const nonce = nextNonce(view, purse)
  const version = await signVersion(context, db, view, transaction, {
    ...fees,
    nonce,
    gas: simulated.gas,
  })
  if ('problem' in version) return unsigned(context, db, transaction, version)
  purse.held.push(nonce)
  purse.left -= cost
  context.tell({ type: 'signed', transaction, hash: version.hash, nonce })
  const outcome = await sendVersion(context, db, transaction, version)
  return outcome.is === 'taken' ? 'under-way' : 'stop'
}

/** A signer that refuses this one may sign the next; one that is away is away for all. */
async function unsigned(
  context: SenderContext,
  db: pg.ClientBase,
  transaction: Transaction,
  { isFinal, problem, detail }: Unsigned,
): Promise<'over' | 'stop'> {
  if (isFinal) {
    await markOver(db, transaction.id, 'failed', problem, detail)
    context.tell({ type: 'failed', transaction, problem })
    return 'over'
  }
  await tellWaiting(context, db, transaction, { problem, detail })
  return 'stop'
}

/**
 * With nothing of ours under way, what waits for a block was sent by somebody with the same key, or by
 * us before the database was lost: go behind it rather than against it.
 */
function nextNonce({ next, pending }: ChainView, { held }: Purse): number {
  return chooseNonce(held.length === 0 ? Math.max(next, pending) : next, held)
}
