/** A bridge's windows, in seconds. */
export type Windows = {
  /** Each of the two windows in which a winner may deposit. */
  pickup: number
  /** From the deposit to the deadline of the delivery. */
  execution: number
  /** From that deadline to the refund. */
  grace: number
}

/** Short, so that what goes wrong does so within seconds. In production: 60, 3,600 and 3,600. */
export const DEVNET_WINDOWS: Windows = { pickup: 6, execution: 14, grace: 5 }
