import type { Hex } from '../../../src/event/bridgeEvent.ts'

/**
 * Who a recipient is: a wallet that is a key, the same on every chain, or a contract on one chain. A
 * contract address may have one owner here and another there, so these are never the same.
 */
export type Recipient = {
  recipientAddress: Hex
  /** The chain of a wallet that is a contract; undefined for one that is a key. */
  contractOn?: number | undefined
}

/** What a recipient's keys and tag are derived from. Changing it loses them. */
export function recipientIdentity({ recipientAddress, contractOn }: Recipient): string {
  const wallet = recipientAddress.toLowerCase()
  return contractOn === undefined ? wallet : `${wallet} on ${contractOn}`
}
