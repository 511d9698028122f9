import { inParallel } from './inParallel.ts'
import { isDoneAlready } from './isDoneAlready.ts'
import type { Refusal } from './refusal.ts'
import { hasWaited, isKnown, isOlder, replace, signAnew } from './replace.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import { markOver, type Underway, type Version } from './senderStore.ts'
import { sendVersion } from './sendVersion.ts'
import { simulateCall } from './simulateCall.ts'

/** Transactions that are handled at once. */
const AT_ONCE = 16

/**
 * Sends what is signed and not in a block: what no node has taken yet at once, the rest again from
 * time to time, in case it was dropped. The first in line is replaced at higher fees when no block
 * takes it; the others wait for it.
 */
export async function sendAgain(pass: Pass, underway: readonly Underway[]): Promise<void> {
  await inParallel(underway, AT_ONCE, (transaction) => lookAfter(pass, transaction, underway))
}

async function lookAfter(
  pass: Pass,
  transaction: Underway,
  underway: readonly Underway[],
): Promise<void> {
  const { context, view } = pass
  const newest = transaction.versions.at(-1)
  // Past the chain's count: one of its versions is in a block, the next pass finds which.
  if (!newest || transaction.nonce < view.next) return
  const isFirst = transaction.nonce === view.next
  // Also if no node is known to have it: the process may have ended just after it was sent.
  if (!newest.isCancel && (await context.isStale(transaction))) {
    return replace(pass, transaction, newest, { asCancel: true, wasRefused: true })
  }
  const isDue = newest.sentAt === null || isOlder(newest.sentAt, context.resendAfterMs)
  const isTaken = !isDue || (await sendOrGiveUp(pass, transaction, newest, underway))
  const wasSent = newest.sentAt !== null && isTaken
  if (isFirst && wasSent && hasWaited(context, view, newest)) {
    await replace(pass, transaction, newest)
  }
}

/**
 * A transaction that no node has (any more) and that would revert by now is not sent: nobody pays for
 * a failure that is known. If that isn't known, it is sent, because others wait behind it.
 *
 * @returns whether a node has it now
 */
async function sendOrGiveUp(
  pass: Pass,
  transaction: Underway,
  newest: Version,
  underway: readonly Underway[],
): Promise<boolean> {
  const { context, db, view } = pass
  const simulated = newest.isCancel ? null : await simulateCall(context, transaction, view)
  if (simulated?.outcome === 'reverts') {
    const state = isDoneAlready(transaction.kind, simulated) ? 'superseded' : 'failed'
    const end = { state, problem: simulated.error, detail: simulated.detail } as const
    if (await giveUp(pass, transaction, newest, underway, end)) return false
  }
  const answer = await sendVersion(context, db, transaction, newest)
  await followUp(pass, transaction, newest, underway, answer)
  return answer.is === 'taken'
}

/**
 * What to do about bytes that no node accepts. Resending them unchanged helps only in some cases.
 */
async function followUp(
  pass: Pass,
  transaction: Underway,
  newest: Version,
  underway: readonly Underway[],
  answer: Refusal,
): Promise<void> {
  const { context } = pass
  switch (answer.is) {
    case 'underpriced':
      return replace(pass, transaction, newest, { wasRefused: true })
    case 'wrong-gas': {
      if (await signAnew(pass, transaction, newest, 'gas')) return
      const end = { state: 'failed', problem: answer.problem, detail: answer.detail } as const
      await giveUp(pass, transaction, newest, underway, end)
      return
    }
    case 'invalid': {
      const end = { state: 'failed', problem: answer.problem, detail: answer.detail } as const
      await giveUp(pass, transaction, newest, underway, end)
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

type End = { state: 'failed' | 'superseded'; problem: string; detail: string }

/**
 * Ends a transaction that no node has in any version. The next transaction takes its nonce, unless later
 * nonces are already in use: then a cancellation takes it.
 *
 * @returns false when a node has one: the process may have ended between sending and noting it
 */
async function giveUp(
  pass: Pass,
  transaction: Underway,
  newest: Version,
  underway: readonly Underway[],
  { state, problem, detail }: End,
): Promise<boolean> {
  const { context, db } = pass
  if (newest.isCancel || (await isKnown(context, transaction))) return false
  if (underway.some(({ nonce }) => nonce > transaction.nonce)) {
    await replace(pass, transaction, newest, { asCancel: true, wasRefused: true })
    return true
  }
  await markOver(db, transaction.id, state, problem, detail)
  context.onEvent({ type: state, transaction, problem })
  return true
}
