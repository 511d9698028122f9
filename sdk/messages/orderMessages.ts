import type { Hex } from 'viem'

/**
 * What an owner signs (EIP-191) to place an order. It contains the order's id, so the signature is valid for this order
 * only.
 *
 * @param vaultOrderId keccak256 of the encrypted order, from `sealOrder`
 * @param expiry unix seconds until which the order can be placed
 */
export function placeOrderMessage(
  vaultOrderId: Hex,
  sourceChainId: number,
  expiry: number,
): string {
  return `TWAP_ORDER:${vaultOrderId.slice(2)}:${sourceChainId}:${expiry}`
}

/**
 * What an owner signs to cancel an order.
 *
 * @param orderId `twap-…`
 * @param expiry unix seconds
 */
export function cancelOrderMessage(orderId: string, expiry: number): string {
  return `TWAP_CANCEL:${orderId}:${expiry}`
}

/**
 * What an owner signs to read an order's recipients.
 *
 * @param orderId `twap-…`
 * @param timestamp the current unix time in seconds; valid for five minutes
 */
export function readOrdersMessage(orderId: string, timestamp: number): string {
  return `TWAP_READ:${orderId}:${timestamp}`
}
