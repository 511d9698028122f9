/** Adversaries that still gain over honest play, their largest gain, and why it is accepted. */
type Remaining = {
  /** Share of the market, in any cell. */
  most: number
  reason: string
}

const lastLook =
  'the last bidder sees the other bids and pays one unit more than they do, not its own price; it gains only what an auction of open bids leaves its winner'
const option =
  'a price that moves by more than the lock within the window makes leaving the lock behind the smaller loss; honest solvers bear it'

export const acceptedGains: ReadonlyMap<string, Remaining> = new Map([
  ['sniper', { most: 0.0012, reason: lastLook }],
  [
    'cartel of two',
    { most: 0.0017, reason: `${lastLook}; the partner that keeps still is a rival less` },
  ],
  [
    "treasury's owner who bids",
    {
      most: 0.0012,
      reason:
        'its fee pays for bids that nobody else can afford: intents are settled that would have expired, at a better price for the sender',
    },
  ],
  ["winner that doesn't deliver, on a day of 20 %", { most: 0.001, reason: option }],
])
