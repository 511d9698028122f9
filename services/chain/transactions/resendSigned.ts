import { mapInParallel } from '../../process/mapInParallel.ts'
import { type BroadcastResult, readCostCap } from './classifyBroadcastErrors.ts'
import { classifyRevert } from './classifyRevert.ts'
import type { End } from './markTransactions.ts'
import { recordTransactionEnd } from './recordTransactionEnd.ts'
import {
  hasWaited,
  isKnown,
  replaceTransaction,
  signFresh,
  signWithinCost,
} from './replaceTransaction.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import { sendTransactionVersions } from './sendTransactionVersions.ts'
import { simulateCall } from './simulateCall.ts'
import type { SignedTransaction, Version } from './transactionStore.ts'

const CONCURRENT_TRANSACTIONS = 16

/**
 * Sends unmined transactions: at once what no node has accepted yet, the rest again after `resendAfterMs`, in case nodes
 * have dropped it. The one with the lowest nonce is replaced at higher fees if blocks leave it out; the others wait for it.
 */
export async function resendSigned(
  pass: Pass,
  unmined: readonly SignedTransaction[],
): Promise<void> {
  await mapInParallel(unmined, CONCURRENT_TRANSACTIONS, async (transaction) => {
    const newest = transaction.versions.at(-1)
    const hasFollowers = unmined.some(({ nonce }) => nonce > transaction.nonce)
    if (newest) await resend(pass, { transaction, newest, hasFollowers })
  })
}

type Unmined = {
  transaction: SignedTransaction
  newest: Version
  /** Whether higher nonces are in use. */
  hasFollowers: boolean
}

async function resend(pass: Pass, unmined: Unmined): Promise<void> {
  const { context, view } = pass
  const { transaction, newest } = unmined
  // A version of it is in a block; the next pass finds out which.
  if (transaction.nonce < view.next) return
  const isFirst = transaction.nonce === view.next
  // Even if no node is known to have it: the process may have died right after sending it.
  if (!newest.isCancel && (await context.isStale(transaction))) {
    return replaceTransaction(pass, transaction, newest, { asCancel: true, wasRefused: true })
  }
  const { msSinceSent } = newest
  const isDue = msSinceSent === null || msSinceSent < 0 || msSinceSent >= context.resendAfterMs
  const isAccepted = !isDue || (await sendOrGiveUp(pass, unmined))
  const wasSent = msSinceSent !== null && isAccepted
  if (isFirst && wasSent && hasWaited(context, view, newest)) {
    await replaceTransaction(pass, transaction, newest)
  }
}

/**
 * Gives up a transaction that would revert by now, if no node has it: a known failure isn't worth its gas. If its outcome
 * is unknown it is sent, because others wait behind it.
 *
 * @returns whether a node has it now
 */
async function sendOrGiveUp(pass: Pass, unmined: Unmined): Promise<boolean> {
  const { context, view } = pass
  const { transaction, newest } = unmined
  const simulation = newest.isCancel ? null : await simulateCall(context, transaction, view)
  if (simulation?.outcome === 'reverts') {
    if (await giveUp(pass, unmined, classifyRevert(transaction.kind, simulation))) return false
  }
  const [result] = await sendTransactionVersions(pass, [{ transaction, version: newest }])
  await handleRefusal(pass, unmined, result as BroadcastResult)
  return result?.kind === 'accepted'
}

/** Changes what no node accepts, in the cases where sending the same bytes again won't help. */
async function handleRefusal(pass: Pass, unmined: Unmined, result: BroadcastResult): Promise<void> {
  const { context, view } = pass
  const { transaction, newest } = unmined
  switch (result.kind) {
    case 'underpriced':
      return replaceTransaction(pass, transaction, newest, { wasRefused: true })
    case 'too-costly':
      return signWithinCost(pass, transaction, newest, readCostCap(result.detail))
    case 'wrong-gas':
    case 'invalid': {
      if (result.kind === 'wrong-gas' && (await signFresh(pass, transaction, newest, 'gas'))) return
      const { problem, detail } = result
      await giveUp(pass, unmined, { state: 'failed', problem, detail })
      return
    }
    case 'retry':
      // A provider that doesn't answer may still have accepted it.
      if (result.problem === 'RPC_UNREACHABLE' || !isRefusedForLong(context, unmined)) return
      if (await signFresh(pass, transaction, newest, 'any')) return
      if (result.problem !== 'NOT_TAKEN' || transaction.nonce !== view.next) return
      // It may say in words that we don't know that it has it, as since an upgrade. Then only a higher price helps.
      if (hasWaited(context, view, newest) && (await isKnown(context, transaction)))
        await replaceTransaction(pass, transaction, newest)
  }
}

/** The wait doubles with each version, up to an hour at the default settings. */
function isRefusedForLong({ bumpAfterMs }: SenderContext, { transaction, newest }: Unmined) {
  const waitMs = bumpAfterMs * 2 ** Math.min(transaction.versions.length - 1, 7)
  return newest.msSinceSigned >= waitMs
}

/**
 * Ends a transaction of which no node has any version. If higher nonces are in use, a cancellation takes its nonce; otherwise,
 * the next transaction does.
 *
 * @returns false if a node has a version: the process may have died between sending it and recording that
 */
async function giveUp(
  pass: Pass,
  { transaction, newest, hasFollowers }: Unmined,
  end: End,
): Promise<boolean> {
  if (newest.isCancel || (await isKnown(pass.context, transaction))) return false
  if (hasFollowers)
    await replaceTransaction(pass, transaction, newest, { asCancel: true, wasRefused: true })
  else await recordTransactionEnd(pass, transaction, end)
  return true
}
