/** A bridge's windows, in seconds. */
export type Windows = {
  /** Shortest auction; default 4. */
  minAuction?: number
  /** Seconds before an auction's end at which its recipients become firm; default 10. */
  firm?: number
  /** Each of the two windows in which the winner may deposit. */
  pickup: number
  /** From the deposit to the delivery deadline. */
  execution: number
  /** From that deadline until anyone may refund. */
  grace: number
  /** Delay between announcing an addition and its effect; default 10. */
  announcement?: number
}

/** Short, so that failures happen within seconds. In production: 20, 30, 60, 3,600, 259,200, 172,800. */
export const DEVNET_WINDOWS = {
  minAuction: 4,
  firm: 10,
  pickup: 6,
  execution: 20,
  grace: 6,
  announcement: 10,
} satisfies Windows

/** Fills in the devnet's defaults. */
export function completeWindows(windows: Windows): Required<Windows> {
  return { ...DEVNET_WINDOWS, ...windows }
}
