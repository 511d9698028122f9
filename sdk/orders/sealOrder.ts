import { bytesToHex, type Hex, hexToBytes, keccak256, stringToBytes } from 'viem'
import type { Submission } from '../../core/order/submission.ts'
import { invalidArgument, requireAmount } from '../errors/invalidArgument.ts'
import { encryptTo } from '../seal/encryptTo.ts'
import { padToClass } from '../seal/padToClass.ts'

export type OrderParams = Submission

/** An order as submitted. Keep `vaultOrderId`: with it the owner can withdraw without any service. */
export type SealedOrder = { encrypted: Hex; vaultOrderId: Hex }

/**
 * Encrypts an order to the order service. Each call gives a different ciphertext, and so a different order. The ciphertext
 * goes on chain: its length reveals the number of recipients only up to a power of two.
 *
 * @param publicKey the service's key from its `GET /ecies-pubkey`, not the relayer's
 * @throws CairnError `INVALID_REQUEST` for an invalid amount or number
 */
export function sealOrder(publicKey: Hex, order: OrderParams): SealedOrder {
  const { totalAmountIn, amountPerPeriod, amounts, ...rest } = requireNumbers(order)
  const text = JSON.stringify({
    ...rest,
    totalAmountIn: String(totalAmountIn),
    amountPerPeriod: String(amountPerPeriod),
    amounts: amounts.map(String),
  })
  const padded = stringToBytes(padToClass(text, amounts.length))
  const encrypted = bytesToHex(encryptTo(hexToBytes(publicKey), padded))
  return { encrypted, vaultOrderId: keccak256(encrypted) }
}

const NUMBERS = ['sourceChainId', 'destChainId', 'period', 'startTime', 'endTime'] as const

/**
 * The order as it was given.
 *
 * @throws CairnError `INVALID_REQUEST`
 */
function requireNumbers(order: OrderParams): OrderParams {
  requireAmount(order.totalAmountIn, 'totalAmountIn')
  requireAmount(order.amountPerPeriod, 'amountPerPeriod')
  if (!Array.isArray(order.amounts)) {
    throw invalidArgument('amounts', 'a list with an amount for each recipient')
  }
  for (const [at, amount] of order.amounts.entries()) requireAmount(amount, `amounts.${at}`)
  for (const field of NUMBERS) {
    if (!Number.isSafeInteger(order[field])) throw invalidArgument(field, 'a whole number')
  }
  return order
}
