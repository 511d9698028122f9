import { size } from 'viem'
import type { Submitted } from '../ordersServiceTypes.ts'

/** The parts of an order that decide its gas. */
type OrderSize = {
  /** Bytes that its owner submitted. All go into the funding, the recipients into each tranche. */
  bytes: number
  tranches: number
  quorum: number
}

/** Gas of each signature after the first. */
const GAS_OF_SIGNATURE = 14_000

/** Gas of each call about an order, measured with 1 to 200 recipients and rounded up. */
export function estimateOrderCallGas({ bytes, quorum }: Omit<OrderSize, 'tranches'>) {
  const signatures = (quorum - 1) * GAS_OF_SIGNATURE
  return {
    fund: 224_000 + 27 * bytes + signatures,
    fire: 226_000 + 12 * bytes + signatures,
    close: 70_000 + signatures,
  }
}

/**
 * An order's gas per tranche: firing it, and its share of funding and closing the order. A test compares it with
 * receipts.
 */
export function estimateTrancheGas({ tranches, ...order }: OrderSize): bigint {
  const { fund, fire, close } = estimateOrderCallGas(order)
  return BigInt(fire + Math.ceil((fund + close) / tranches))
}

/** Bytes that an owner submitted. */
export function sizeOf({ encrypted, message, signature }: Submitted): number {
  return size(encrypted) + Buffer.byteLength(message) + size(signature)
}
