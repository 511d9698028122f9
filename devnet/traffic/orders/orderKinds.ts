/** What becomes of an order that the traffic places. */
export type OrderKind = 'filled' | 'endTime' | 'cancelled' | 'refunded'

type OrderPlan = {
  /** Seconds; each kind has one of its own, by which a later run knows what to do with its orders. */
  period: number
  /** How many tranches the deposit makes. */
  tranches: number
  /** Seconds from the start to the end. */
  lasts: number
  /** Asks for more than it is worth: nobody bids, and the owner takes its tranches back. */
  isTooDear: boolean
}

/** Long enough for an auction in which solvers can bid, short enough to see it end. */
export const ORDER_PLANS: Readonly<Record<OrderKind, OrderPlan>> = {
  filled: { period: 40, tranches: 2, lasts: 900, isTooDear: false },
  endTime: { period: 41, tranches: 9, lasts: 60, isTooDear: false },
  cancelled: { period: 42, tranches: 9, lasts: 900, isTooDear: false },
  refunded: { period: 24, tranches: 2, lasts: 900, isTooDear: true },
}

/** The kinds, in the order in which a fresh devnet sees them. */
export const ORDER_KINDS = Object.keys(ORDER_PLANS) as OrderKind[]

/** The kind of an order, null for one that isn't the traffic's. */
export function kindOf({ period }: { period: number }): OrderKind | null {
  return ORDER_KINDS.find((kind) => ORDER_PLANS[kind].period === period) ?? null
}
