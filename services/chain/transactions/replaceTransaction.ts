import {
  bumpedFees,
  CANCELLATION_GAS,
  cancellationCap,
  doubledFees,
  type Fees,
  firstFees,
} from './fees.ts'
import { recordWaiting } from './recordOutcome.ts'
import type { ChainView, Pass, SenderContext } from './senderContext.ts'
import type { Underway, Version } from './senderStore.ts'
import { sendVersions } from './sendVersions.ts'
import { signVersions } from './signVersions.ts'
import { tryTransaction } from './simulateCall.ts'

type Replacing = {
  /** With a transfer of nothing to oneself, whatever the call would do. */
  asCancel?: boolean
  /** Whether nodes may have none of the versions, rather than leave the newest out of blocks. */
  wasRefused?: boolean
}

/** A version of the same nonce that pays more; if the call would revert by now, one that does nothing. */
export async function replaceTransaction(
  pass: Pass,
  transaction: Underway,
  newest: Version,
  { asCancel = false, wasRefused = false }: Replacing = {},
): Promise<void> {
  const { context, view } = pass
  const mustCancel = newest.isCancel || asCancel
  const simulated = mustCancel ? null : await tryTransaction(context, transaction, view)
  const isCancel = mustCancel || simulated?.outcome === 'reverts'
  const callGas = simulated?.outcome === 'succeeds' ? simulated.gas : newest.gasLimit
  const gas = isCancel ? CANCELLATION_GAS : callGas
  const cap = capOf(context, transaction, isCancel)
  const raise = wasRefused && gas === CANCELLATION_GAS ? doubledFees : bumpedFees
  const raised = raise(newest, view.market, cap)
  if (raised) return sign(pass, transaction, { ...raised, gas, isCancel })
  // A version that no node has needn't be outbid.
  const fresh = { ...firstFees(view.market, cap), gas, isCancel }
  const isForgotten = wasRefused && !(await isKnown(context, transaction))
  if (isForgotten && !hasVersion(transaction, fresh)) {
    return sign(pass, transaction, fresh)
  }
  const detail = `gas costs more than ${cap} wei`
  await recordWaiting(pass, transaction, { problem: 'FEE_CAP', detail })
}

/**
 * A version of the same nonce at today's gas and fees, in the place of one that no node has: nothing
 * has to be outbid. The call as it is, even if it is one that would revert.
 *
 * @param why `gas` when only another gas limit can help
 * @returns false when nothing would be different, or a node has a version after all
 */
export async function signAnew(
  pass: Pass,
  transaction: Underway,
  { isCancel, gasLimit }: Version,
  why: 'gas' | 'any',
): Promise<boolean> {
  const { context, view } = pass
  const simulated = isCancel ? null : await tryTransaction(context, transaction, view)
  // Not worth a signature unless it is known to succeed.
  if (simulated !== null && simulated.outcome !== 'succeeds') return false
  if (await isKnown(context, transaction)) return false
  const fees = firstFees(view.market, capOf(context, transaction, isCancel))
  const fresh = { ...fees, gas: simulated?.gas ?? CANCELLATION_GAS, isCancel }
  const isOther = why === 'gas' ? fresh.gas !== gasLimit : !hasVersion(transaction, fresh)
  if (!isOther) return false
  await sign(pass, transaction, fresh)
  return true
}

/** Whether a node has any version, including one whose sending was never confirmed. */
export async function isKnown(
  { nodes }: SenderContext,
  { versions }: Pick<Underway, 'versions'>,
): Promise<boolean> {
  const known = await Promise.all(versions.map(({ hash }) => nodes.isKnown(hash)))
  return known.includes(true)
}

/**
 * Whether a version has been passed over: long enough, and by blocks. While a chain produces no
 * blocks, paying more doesn't help.
 */
export function hasWaited(
  { bumpAfterMs }: Pick<SenderContext, 'bumpAfterMs'>,
  { newestHead }: Pick<ChainView, 'newestHead'>,
  { signedAt, signedAtBlock }: Version,
): boolean {
  const hasBlocks = signedAtBlock === null || newestHead >= signedAtBlock + BLOCKS_TO_WAIT
  return hasBlocks && isOlder(signedAt, bumpAfterMs)
}

/** The first may have been under way already when the version was sent. */
const BLOCKS_TO_WAIT = 2

export function isOlder(moment: Date, ms: number): boolean {
  return Date.now() - moment.getTime() >= ms
}

/** Wei for each gas, at most. */
function capOf({ maxFeePerGas }: SenderContext, { versions }: Underway, isCancel: boolean): bigint {
  if (!isCancel) return maxFeePerGas
  const calls = versions.filter((version) => !version.isCancel)
  const callGas = calls.reduce((most, { gasLimit }) => (gasLimit > most ? gasLimit : most), 0n)
  return cancellationCap(maxFeePerGas, callGas)
}

type RequestedVersion = Fees & { gas: bigint; isCancel: boolean }

function hasVersion({ versions }: Underway, requested: RequestedVersion): boolean {
  return versions.some(
    (version) =>
      version.gasLimit === requested.gas &&
      version.isCancel === requested.isCancel &&
      version.maxFeePerGas === requested.maxFeePerGas &&
      version.maxPriorityFeePerGas === requested.maxPriorityFeePerGas,
  )
}

async function sign(pass: Pass, transaction: Underway, requested: RequestedVersion): Promise<void> {
  const { nonce } = transaction
  const toSign = { transaction, version: { ...requested, nonce } }
  const { signed, unsigned } = await signVersions(pass, [toSign])
  if (unsigned) {
    await recordWaiting(pass, transaction, unsigned.why)
    const newest = transaction.versions.at(-1)
    // Somebody has rewritten it, so it is never signed again: it must not hold up what is behind it.
    if (unsigned.why.problem !== 'TRANSACTION_NOT_AUTHENTIC' || requested.isCancel || !newest)
      return
    return replaceTransaction(pass, transaction, newest, { asCancel: true, wasRefused: true })
  }
  const type = requested.isCancel ? 'cancelled' : 'replaced'
  for (const { version } of signed)
    pass.context.onEvent({ type, transaction, hash: version.hash, nonce })
  await sendVersions(pass, signed)
}
