/** A bridge's windows, in seconds. */
export type Windows = {
  /** Shortest auction; default 4. */
  minAuction?: number
  /** Before an auction's end, when its recipients are firm at the latest; default 6. */
  firm?: number
  /** Each of the two windows in which a winner may deposit. */
  pickup: number
  /** From the deposit to the deadline of the delivery. */
  execution: number
  /** From that deadline to the refund by anyone. */
  grace: number
  /** From the announcement of an addition to its effect; default 10. */
  announcement?: number
}

/** Short, so that what goes wrong does so within seconds. In production: 20, 30, 60, 3,600, 259,200, 172,800. */
export const DEVNET_WINDOWS = {
  ...{ minAuction: 4, firm: 6, pickup: 6, execution: 20, grace: 6, announcement: 10 },
} satisfies Windows

/** With the devnet's values for what is left out. */
export function completed(windows: Windows): Required<Windows> {
  return { ...DEVNET_WINDOWS, ...windows }
}
