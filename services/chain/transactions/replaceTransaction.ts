import { recordTransactionWaiting } from './recordTransactionEnd.ts'
import type { ChainView, Pass, SenderContext } from './senderContext.ts'
import { sendTransactionVersions } from './sendTransactionVersions.ts'
import { signTransactionVersions } from './signTransactionVersions.ts'
import { type Simulation, simulateCall, simulateUnlessStale } from './simulateCall.ts'
import {
  bumpFees,
  CANCELLATION_GAS,
  calculateCancellationCap,
  calculateFirstFees,
  doubleFees,
  type Fees,
} from './transactionFees.ts'
import type { SignedTransaction, Version } from './transactionStore.ts'

type ReplaceOptions = {
  /** Replaces it with an empty transfer to ourselves, whatever the call would do. */
  asCancel?: boolean
  /** Whether nodes may have no version at all, rather than keep the newest out of blocks. */
  wasRefused?: boolean
}

/** Signs and sends a version at the same nonce that pays more: the call, or a cancellation if the call would revert. */
export async function replaceTransaction(
  pass: Pass,
  transaction: SignedTransaction,
  newest: Version,
  { asCancel = false, wasRefused = false }: ReplaceOptions = {},
): Promise<void> {
  const { context, view } = pass
  const mustCancel = newest.isCancel || asCancel
  const simulation = mustCancel ? null : await simulateUnlessStale(context, transaction, view)
  const isCancel = mustCancel || simulation?.outcome === 'reverts'
  const callGas = simulation?.outcome === 'succeeds' ? simulation.gas : newest.gasLimit
  const cancellationGas = newest.isCancel ? newest.gasLimit : CANCELLATION_GAS
  const gas = isCancel ? cancellationGas : callGas
  const cap = priceCap(context, transaction, isCancel ? gas : null)
  const raise = wasRefused && gas === CANCELLATION_GAS ? doubleFees : bumpFees
  const raised = raise(newest, view.market, cap)
  if (raised) return signAndSend(pass, transaction, { ...raised, gas, isCancel })
  // A version that no node has needn't be outbid.
  const fresh = { ...calculateFirstFees(view.market, cap), gas, isCancel }
  const isForgotten = wasRefused && !(await isKnown(context, transaction))
  if (isForgotten && !hasVersion(transaction, fresh)) {
    return signAndSend(pass, transaction, fresh)
  }
  const detail = `gas costs more than ${cap} wei`
  await recordTransactionWaiting(pass, transaction, { problem: 'FEE_CAP', detail })
}

/**
 * Signs and sends a version at today's gas and fees, at the same nonce, in place of one that no node has, so nothing has
 * to be outbid.
 *
 * @param why `gas` if only another gas limit can help
 * @returns false if the version would be the same, or a node has one after all
 */
export async function signFresh(
  pass: Pass,
  transaction: SignedTransaction,
  { isCancel, gasLimit }: Version,
  why: 'gas' | 'any',
): Promise<boolean> {
  const { context, view } = pass
  const simulation = isCancel
    ? await simulateCancellation(pass, transaction, why)
    : await simulateUnlessStale(context, transaction, view)
  // Not worth a signature unless it is known to succeed.
  if (simulation !== null && simulation.outcome !== 'succeeds') return false
  if (await isKnown(context, transaction)) return false
  const gas = simulation?.gas ?? gasLimit
  const cap = priceCap(context, transaction, isCancel ? gas : null)
  const fresh = { ...calculateFirstFees(view.market, cap), gas, isCancel }
  const isDifferent = why === 'gas' ? fresh.gas !== gasLimit : !hasVersion(transaction, fresh)
  if (!isDifferent) return false
  await signAndSend(pass, transaction, fresh)
  return true
}

/**
 * Signs and sends a version whose gas costs at most this many wei, in place of one that nodes refuse because it could cost
 * more: at a lower price, and where the next block would leave that out, without more gas than the estimate.
 */
export async function signWithinCost(
  pass: Pass,
  transaction: SignedTransaction,
  newest: Version,
  mostWei: bigint,
): Promise<void> {
  const { context, view } = pass
  if (newest.isCancel || newest.gasLimit * newest.maxFeePerGas <= mostWei) return
  const cap = priceCap(context, transaction, null)
  for (const leastGas of [context.leastGas, () => 0n]) {
    const simulation = await simulateUnlessStale({ ...context, leastGas }, transaction, view)
    if (simulation.outcome !== 'succeeds') return
    const { gas } = simulation
    const price = mostWei / gas
    const fees = calculateFirstFees(view.market, price < cap ? price : cap)
    if (fees.maxFeePerGas < view.market.baseFeePerGas + fees.maxPriorityFeePerGas) continue
    if (await isKnown(context, transaction)) return
    return signAndSend(pass, transaction, { ...fees, gas, isCancel: false })
  }
}

/** Estimates an empty transfer whose gas nodes refuse: it may count a rollup's data, or run code delegated by EIP-7702. */
async function simulateCancellation(
  { context, view }: Pass,
  transaction: SignedTransaction,
  why: 'gas' | 'any',
): Promise<Simulation | null> {
  if (why !== 'gas') return null
  const call = {
    kind: 'cancel',
    to: context.account,
    data: '0x',
    value: 0n,
    gasLimit: null,
  } as const
  return simulateCall(context, { ...transaction, ...call }, view)
}

/** Whether a node has any version, including one whose sending was never recorded. */
export async function isKnown(
  { nodes }: SenderContext,
  { versions }: Pick<SignedTransaction, 'versions'>,
): Promise<boolean> {
  const known = await Promise.all(versions.map(({ hash }) => nodes.isKnown(hash)))
  return known.includes(true)
}

/** Whether blocks have left a version out for `bumpAfterMs`. While a chain has no blocks, paying more doesn't help. */
export function hasWaited(
  { bumpAfterMs }: Pick<SenderContext, 'bumpAfterMs'>,
  { newestHead }: Pick<ChainView, 'newestHead'>,
  { msSinceSigned, signedAtBlock }: Pick<Version, 'msSinceSigned' | 'signedAtBlock'>,
): boolean {
  const hasBlocks = signedAtBlock === null || newestHead >= signedAtBlock + BLOCKS_TO_WAIT
  return hasBlocks && msSinceSigned >= bumpAfterMs
}

/** The first one may have been built before the version was sent. */
const BLOCKS_TO_WAIT = 2

/**
 * Limit on the price of gas, in wei.
 *
 * @param cancellationGas null for the call itself
 */
function priceCap(
  { maxFeePerGas }: SenderContext,
  { versions }: SignedTransaction,
  cancellationGas: bigint | null,
): bigint {
  if (cancellationGas === null) return maxFeePerGas
  const calls = versions.filter((version) => !version.isCancel)
  const callGas = calls.reduce((most, { gasLimit }) => (gasLimit > most ? gasLimit : most), 0n)
  return calculateCancellationCap(maxFeePerGas, callGas, cancellationGas)
}

type RequestedVersion = Fees & { gas: bigint; isCancel: boolean }

function hasVersion({ versions }: SignedTransaction, requested: RequestedVersion): boolean {
  return versions.some(
    (version) =>
      version.gasLimit === requested.gas &&
      version.isCancel === requested.isCancel &&
      version.maxFeePerGas === requested.maxFeePerGas &&
      version.maxPriorityFeePerGas === requested.maxPriorityFeePerGas,
  )
}

async function signAndSend(
  pass: Pass,
  transaction: SignedTransaction,
  requested: RequestedVersion,
): Promise<void> {
  const { nonce } = transaction
  const toSign = { transaction, version: { ...requested, nonce } }
  const { signed, failed } = await signTransactionVersions(pass, [toSign])
  if (failed) {
    await recordTransactionWaiting(pass, transaction, failed.failure)
    const newest = transaction.versions.at(-1)
    // The row was tampered with, so the call is never signed again; a cancellation frees those behind it.
    if (failed.failure.problem !== 'TRANSACTION_NOT_AUTHENTIC' || requested.isCancel || !newest)
      return
    return replaceTransaction(pass, transaction, newest, { asCancel: true, wasRefused: true })
  }
  const type = requested.isCancel ? 'cancelled' : 'replaced'
  for (const { version } of signed)
    pass.context.onEvent({ type, transaction, hash: version.hash, nonce })
  await sendTransactionVersions(pass, signed)
}
