import { inParallel } from '../../process/inParallel.ts'
import type { Refusal } from './classifyRefusals.ts'
import { endOfReverted } from './endOfReverted.ts'
import { recordEnd } from './recordOutcome.ts'
import { hasWaited, isKnown, isOlder, replaceTransaction, signAnew } from './replaceTransaction.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import type { End, Underway, Version } from './senderStore.ts'
import { sendVersions } from './sendVersions.ts'
import { simulateCall } from './simulateCall.ts'

/** Transactions that are handled at once. */
const AT_ONCE = 16

/**
 * Sends what is signed and not in a block: what no node has taken yet at once, the rest again from
 * time to time, in case it was dropped. The first in line is replaced at higher fees when no block
 * takes it; the others wait for it.
 */
export async function sendAgain(pass: Pass, underway: readonly Underway[]): Promise<void> {
  await inParallel(underway, AT_ONCE, async (transaction) => {
    const newest = transaction.versions.at(-1)
    const hasFollowers = underway.some(({ nonce }) => nonce > transaction.nonce)
    if (newest) await lookAfter(pass, { transaction, newest, hasFollowers })
  })
}

type Signed = {
  transaction: Underway
  newest: Version
  /** Whether later nonces are already in use. */
  hasFollowers: boolean
}

async function lookAfter(pass: Pass, signed: Signed): Promise<void> {
  const { context, view } = pass
  const { transaction, newest } = signed
  // Past the chain's count: one of its versions is in a block, the next pass finds which.
  if (transaction.nonce < view.next) return
  const isFirst = transaction.nonce === view.next
  // Also if no node is known to have it: the process may have ended just after it was sent.
  if (!newest.isCancel && (await context.isStale(transaction))) {
    return replaceTransaction(pass, transaction, newest, { asCancel: true, wasRefused: true })
  }
  const isDue = newest.sentAt === null || isOlder(newest.sentAt, context.resendAfterMs)
  const isTaken = !isDue || (await sendOrGiveUp(pass, signed))
  const wasSent = newest.sentAt !== null && isTaken
  if (isFirst && wasSent && hasWaited(context, view, newest)) {
    await replaceTransaction(pass, transaction, newest)
  }
}

/**
 * A transaction that no node has (any more) and that would revert by now is not sent: nobody pays for
 * a failure that is known. If that isn't known, it is sent, because others wait behind it.
 *
 * @returns whether a node has it now
 */
async function sendOrGiveUp(pass: Pass, signed: Signed): Promise<boolean> {
  const { context, view } = pass
  const { transaction, newest } = signed
  const simulated = newest.isCancel ? null : await simulateCall(context, transaction, view)
  if (simulated?.outcome === 'reverts') {
    if (await giveUp(pass, signed, endOfReverted(transaction.kind, simulated))) return false
  }
  const [answer] = await sendVersions(pass, [{ transaction, version: newest }])
  await followUp(pass, signed, answer as Refusal)
  return answer?.is === 'taken'
}

/**
 * What to do about bytes that no node accepts. Resending them unchanged helps only in some cases.
 */
async function followUp(pass: Pass, signed: Signed, answer: Refusal): Promise<void> {
  const { context } = pass
  const { transaction, newest } = signed
  switch (answer.is) {
    case 'underpriced':
      return replaceTransaction(pass, transaction, newest, { wasRefused: true })
    case 'wrong-gas':
    case 'invalid': {
      if (answer.is === 'wrong-gas' && (await signAnew(pass, transaction, newest, 'gas'))) return
      const { problem, detail } = answer
      await giveUp(pass, signed, { state: 'failed', problem, detail })
      return
    }
    case 'later':
      // A provider that doesn't answer may still have accepted it.
      if (answer.problem === 'RPC_UNREACHABLE' || !hasBeenRefusedLong(context, transaction)) return
      await signAnew(pass, transaction, newest, 'any')
  }
}

/** Twice as long before each further version, up to an hour at the usual settings. */
function hasBeenRefusedLong({ bumpAfterMs }: SenderContext, { versions }: Underway): boolean {
  const newest = versions.at(-1)
  const patience = bumpAfterMs * 2 ** Math.min(versions.length - 1, 7)
  return newest !== undefined && isOlder(newest.signedAt, patience)
}

/**
 * Ends a transaction that no node has in any version. The next transaction takes its nonce, unless later
 * nonces are already in use: then a cancellation takes it.
 *
 * @returns false when a node has one: the process may have ended between sending and noting it
 */
async function giveUp(
  pass: Pass,
  { transaction, newest, hasFollowers }: Signed,
  end: End,
): Promise<boolean> {
  if (newest.isCancel || (await isKnown(pass.context, transaction))) return false
  if (hasFollowers)
    await replaceTransaction(pass, transaction, newest, { asCancel: true, wasRefused: true })
  else await recordEnd(pass, transaction, end)
  return true
}
