import { MAX_RECIPIENTS } from '../../../core/recoveryBlob/blobSize.ts'
import type { ChainSnapshot, IntentSnapshot } from './solverSnapshot.ts'

/** Gas of a delivery apart from its transfers; most of it must only be there, because the bridge hands it to the token. */
const FIXED_GAS = 500_000n

/** Gas of a transfer to an account without the token, by tokens behind a proxy too, and of a refused one's credit. */
const GAS_PER_RECIPIENT = 60_000n

/**
 * The gas that a delivery to this many recipients needs, whatever they do before it is mined.
 *
 * @param recipients their number, or the intent's recipient class
 */
export function calculateDeliveryGas(recipients: number): bigint {
  return FIXED_GAS + GAS_PER_RECIPIENT * BigInt(Math.min(recipients, MAX_RECIPIENTS))
}

/** Gas of a deposit, with a margin. */
export const DEPOSIT_GAS = 200_000n

/** What a delivery likely uses apart from its transfers, and for a transfer to an account without the token. */
const LIKELY_FIXED_GAS = 70_000n
const LIKELY_GAS_PER_RECIPIENT = 45_000n

/** What a delivery likely costs, in wei of its chain. */
export function estimateDeliveryCost(
  { recipientClass }: Pick<IntentSnapshot, 'recipientClass'>,
  { chainId, likelyGasPrice }: Pick<ChainSnapshot, 'chainId' | 'likelyGasPrice'>,
): { chainId: number; wei: bigint } {
  const paid = BigInt(Math.min(recipientClass, MAX_RECIPIENTS))
  const gas = LIKELY_FIXED_GAS + LIKELY_GAS_PER_RECIPIENT * paid
  return { chainId, wei: gas * likelyGasPrice }
}

/** Gas that two bids and a deposit likely use. */
export const LIKELY_SOURCE_GAS = 150_000n
