import type { Hex } from '../../src/event/bridgeEvent.ts'

const PREFIX = 'twap-'
/** Hex digits of 128 bits. */
const DIGITS = 32

/** The API's id of an order: `twap-` and the first 128 bits of the vault's. */
export function toApiOrderId(orderId: Hex): string {
  return PREFIX + orderId.slice(2, 2 + DIGITS)
}

/** The range of vault ids that an id can mean, inclusive: one id, or all that begin with the same 128 bits. */
export type OrderIdRange = { from: Hex; to: Hex }

/** The vault ids that an id means, the API's or the vault's own, in any case; null if it is neither. */
export function parseOrderId(id: string): OrderIdRange | null {
  const text = id.toLowerCase()
  if (/^0x[0-9a-f]{64}$/.test(text)) return { from: text as Hex, to: text as Hex }
  const digits = /^twap-([0-9a-f]{32})$/.exec(text)?.[1]
  if (digits === undefined) return null
  return { from: `0x${digits}${'0'.repeat(DIGITS)}`, to: `0x${digits}${'f'.repeat(DIGITS)}` }
}
