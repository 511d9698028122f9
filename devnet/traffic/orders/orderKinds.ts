/** How an order placed by the traffic ends. */
export type OrderKind = 'filled' | 'endTime' | 'cancelled' | 'refunded'

type OrderPlan = {
  /** Seconds, unique per kind, so that a later run recognises its orders. */
  period: number
  /** Tranches the deposit is divided into. */
  tranches: number
  /** Seconds from the start to the end. */
  lasts: number
  /** Asks for more than it is worth: nobody bids, and the owner reclaims its tranches. */
  isTooDear: boolean
}

/** Long enough for solvers to bid, short enough to watch. */
export const ORDER_PLANS: Readonly<Record<OrderKind, OrderPlan>> = {
  filled: { period: 40, tranches: 2, lasts: 900, isTooDear: false },
  endTime: { period: 41, tranches: 9, lasts: 60, isTooDear: false },
  cancelled: { period: 42, tranches: 9, lasts: 900, isTooDear: false },
  refunded: { period: 24, tranches: 2, lasts: 900, isTooDear: true },
}

/** The kinds in the order in which a fresh devnet shows them. */
export const ORDER_KINDS = Object.keys(ORDER_PLANS) as OrderKind[]

/** An order's kind; null for one that isn't the traffic's. */
export function findOrderKind({ period }: { period: number }): OrderKind | null {
  return ORDER_KINDS.find((kind) => ORDER_PLANS[kind].period === period) ?? null
}
