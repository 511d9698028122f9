import type { Hex } from 'viem'

/**
 * What an owner signs (EIP-191) to place an order. It contains the order's id, so the signature can't order
 * anything else.
 *
 * @param vaultOrderId keccak256 of the encrypted order, of `sealOrder`
 * @param expiry unix seconds: the service takes the request until then
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
 * What an owner signs to read an order's private fields: its recipients and, in strict mode, its
 * intents.
 *
 * @param what the order's id, or the owner's address for the list
 * @param timestamp the present unix seconds; good for five minutes
 */
export function readOrdersMessage(what: string, timestamp: number): string {
  return `TWAP_READ:${what}:${timestamp}`
}
