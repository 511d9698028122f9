import { calculateBond } from '../../../src/money/calculateBond.ts'
import { type IntentKey, intentName } from '../../store/intents/storedIntent.ts'
import { calculateDeliveryGas, DEPOSIT_GAS } from './deliveryGas.ts'
import { pendingAbout } from './pendingAbout.ts'
import { sameAddress } from './sameAddress.ts'
import type { IntentSnapshot, PendingTransaction, Snapshot } from './solverSnapshot.ts'

export type ReservedFunds = {
  intent: IntentSnapshot
  /** Stake in tokenA that must stay free for a future lock. */
  reservedStake: bigint
  /** tokenB on the destination chain to keep for the delivery. */
  reservedAmount: bigint
  /** tokenA that we lose if the intent fails now. */
  lockExposure: bigint
  /** tokenB committed to the delivery or not yet repaid. */
  amountExposure: bigint
  /** Gas of what we still have to send on each chain: without it we lose the bond. */
  depositGas: bigint
  deliveryGas: bigint
}

/**
 * What an intent commits us to now; null for nothing. Assumes the worse case of pending transactions: bids and
 * deposits count as mined, deliveries don't.
 */
export function calculateReservedFunds(
  intent: IntentSnapshot,
  snapshot: Snapshot,
): ReservedFunds | null {
  const pending = pendingOf(intent, snapshot)
  const isOurs = sameAddress(intent.solver, snapshot.solver)
  if (intent.phase === 'open') return commitmentOfOpen(intent, snapshot, isOurs, pending)
  if (intent.phase !== 'deposited' || !isOurs) return null
  const isDelivered = intent.delivery !== null
  const destination = snapshot.chains.get(intent.destChainId)
  const isMissed = !isDelivered && (destination?.time ?? 0) >= intent.fillDeadline
  return {
    intent,
    reservedStake: 0n,
    reservedAmount: isDelivered || isMissed ? 0n : intent.amountB,
    lockExposure: calculateBond(intent),
    amountExposure: isMissed ? 0n : intent.amountB,
    depositGas: 0n,
    deliveryGas: isDelivered || isMissed ? 0n : calculateDeliveryGas(intent.recipientClass),
  }
}

function commitmentOfOpen(
  intent: IntentSnapshot,
  { chains }: Snapshot,
  isOurs: boolean,
  pending: readonly bigint[],
): ReservedFunds | null {
  const source = chains.get(intent.sourceChainId)
  const isClosed = source !== undefined && source.time >= intent.endTime + 2 * source.pickupWindow
  const leading = isOurs && !isClosed ? [intent.amountB] : []
  const amountB = [...leading, ...pending].reduce(
    (most, amount) => (amount > most ? amount : most),
    0n,
  )
  if (amountB === 0n) return null
  const bond = calculateBond(intent)
  return {
    intent,
    // The contract has already locked the best bidder's stake.
    reservedStake: isOurs ? 0n : bond,
    reservedAmount: amountB,
    lockExposure: bond,
    amountExposure: amountB,
    depositGas: DEPOSIT_GAS,
    deliveryGas: calculateDeliveryGas(intent.recipientClass),
  }
}

/** Amounts of the pending bids and deposits for an intent. */
function pendingOf(intent: IntentSnapshot, snapshot: Snapshot): bigint[] {
  return pendingAbout(snapshot, intentName(intent)).flatMap((transaction) => {
    if (transaction.kind !== 'bid' && transaction.kind !== 'deposit') return []
    return [transaction.amountB]
  })
}

/** Kinds of our pending transactions for an intent. */
export function pendingKinds(
  intent: IntentKey,
  snapshot: Pick<Snapshot, 'pending'>,
): ReadonlySet<PendingTransaction['kind']> {
  return new Set(pendingAbout(snapshot, intentName(intent)).map(({ kind }) => kind))
}
