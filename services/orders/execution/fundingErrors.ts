import { getAddress } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { FORMER_ACCOUNT } from '../../chain/transactions/endFormerTransactions.ts'
import { hasFailed, type Transaction } from '../../chain/transactions/transactionRow.ts'
import { OrderError } from '../orderError.ts'

/** A permanent refusal: the order's tokens can't be transferred. */
export function createFundingFailedError(
  reason: string,
  what: string,
  amounts: Record<string, bigint | string> = {},
): OrderError {
  const amountTexts = Object.entries(amounts).map(([name, value]) => [name, String(value)])
  const words = `the vault can’t take the order’s tokens (${reason}): ${what}. Encrypt and sign the order again; this one stays refused`
  return new OrderError('FUNDING_FAILED', words, { reason, ...Object.fromEntries(amountTexts) })
}

/** Why the service doesn't pay for a funding: `details.reason` and its explanation. */
const NOT_PAID = {
  OWNER_BRINGS_NO_FEE: [
    'owner_brings_no_fee',
    'too many of this owner’s orders brought no fee in the last 24 hours',
  ],
  GAS_BUDGET_SPENT: [
    'gas_budget_spent',
    'owners without deliveries have used up their shared daily gas on this chain',
  ],
  SIGNATURE_TOO_DEAR: ['signature_too_dear', 'checking the owner’s signature costs too much gas'],
} as const

/** The owner must send this valid funding: the recipient, call data and deadline. */
export function createGasNotPaidError(
  why: keyof typeof NOT_PAID,
  call: { to: Hex; data: Hex; deadline: number },
): OrderError {
  const [reason, what] = NOT_PAID[why]
  const words = `the service won’t pay this funding’s gas (${what}): send details.data to the vault yourself before details.deadline, or order again later`
  return new OrderError('GAS_NOT_PAID', words, { reason, ...call, to: getAddress(call.to) })
}

/**
 * A funding without a final result. A revert is final only once its block is confirmed: after a reorg it may succeed
 * in another block, and a refused order must stay unfunded.
 */
export function createFundingPendingError(
  orderId: Hex,
  transaction: Transaction | null = null,
): OrderError {
  const hasReverted = transaction?.state === 'mined' && transaction.succeeded === false
  const words = hasReverted
    ? 'the funding has reverted, in a block that isn’t confirmed yet: repeat the same request to see its result'
    : 'the service hasn’t seen the funding in a block yet: repeat the same request to see its result'
  return new OrderError('FUNDING_PENDING', words, {
    orderId,
    ...(hasReverted && { reason: 'reverted', txHash: transaction.txHash }),
  })
}

/** No deadline suits the chain, the service and its enclaves: one of their clocks is wrong, or the chain has stalled. */
export function createClocksDifferError(how: string): OrderError {
  const words = `${how}: try again in a minute. If that doesn’t help, tell the service’s operator: a clock is wrong, or the chain has stalled`
  return new OrderError('CLOCKS_DIFFER', words)
}

/** Why the chain doesn't show an order, by its funding. Permanent only once the funding has failed for good. */
export function createNotFundedError(orderId: Hex, transaction: Transaction | null): OrderError {
  if (transaction !== null && hasFailed(transaction) && transaction.problem !== FORMER_ACCOUNT)
    return createFundingFailedError(transaction.problem ?? 'reverted', 'the transfer reverted')
  if (transaction?.problem === 'OUT_OF_GAS')
    return new OrderError('OUT_OF_GAS', 'the service is out of gas: try again later')
  return createFundingPendingError(orderId, transaction)
}
