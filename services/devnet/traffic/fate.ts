import { unpackIntentId } from '../../../src/intent/id.ts'
import { drawFor } from './draw.ts'

/** What the player makes of an intent. */
export type Fate = {
  kind: FateKind
  /** Seconds of the auction. */
  auctionSeconds: number
  /** Who bids how much, in order; a bid is `expectedAmountB` plus this many basis points. */
  bids: { solver: number; marginBps: number }[]
  recipients: number
  /** Seconds between the delivery and the settlement. */
  settleAfter: number
  /** Seconds between the moment a refund is possible and the refund. */
  refundAfter: number
}

const KINDS = {
  completed: 52,
  /** The best bidder doesn't come; another solver picks the intent up in the second window. */
  rescued: 6,
  /** Delivered, and its settlement takes its time. */
  slowlySettled: 6,
  /** The auction goes on for minutes. */
  longAuction: 5,
  /** Nobody bids. */
  ignored: 7,
  /** The relayer never anchors it, so nobody can bid. */
  unanchored: 2,
  /** The best bidder doesn't come, and nobody else does. */
  abandoned: 5,
  /** The winner never delivers. */
  undelivered: 6,
  /** The winner delivers after its deadline. */
  lateDelivery: 2,
  /** The winner delivers less than it committed to. */
  shortDelivery: 2,
  /** The sender takes it back at once. */
  cancelledAtOnce: 3,
  /** The sender takes it back after it was anchored. */
  cancelledLater: 4,
} as const satisfies Record<string, number>

export type FateKind = keyof typeof KINDS

/** Fates of each chain's first intents: every outcome comes about in the first minute. */
export const OPENING: readonly FateKind[] = [
  'completed',
  'ignored',
  'undelivered',
  'slowlySettled',
  'cancelledAtOnce',
  'abandoned',
  'completed',
  'rescued',
  'longAuction',
  'lateDelivery',
  'cancelledLater',
  'shortDelivery',
  'unanchored',
  'completed',
]

/** The fate of an intent that one of the player's own senders made. */
export function fateOf(seed: number, intentId: bigint): Fate {
  const { chainId, sequence } = unpackIntentId(intentId)
  return fateOfSequence(seed, chainId, Number(sequence))
}

/** The same before the intent exists, when only its number to be is known. */
export function fateOfSequence(seed: number, chainId: number, sequence: number): Fate {
  const draw = drawFor(seed, 'fate', chainId, sequence)
  const opening = sequence <= OPENING.length
  const kind = OPENING[sequence - 1] ?? weightedKind(draw.fraction())
  return {
    kind,
    auctionSeconds:
      kind === 'longAuction' ? draw.between(180, 420) : opening ? 20 : draw.between(20, 60),
    bids: bidsOf(kind, draw),
    recipients: draw.pick([1, 1, 1, 2, 3, 5, 8]),
    settleAfter: kind === 'slowlySettled' ? draw.between(240, 900) : draw.between(1, 6),
    refundAfter: opening ? draw.between(0, 2) : draw.between(0, 90),
  }
}

/** An intent that somebody else made is carried through as well as we can. */
export function fateOfGuest(seed: number, intentId: bigint): Fate {
  const draw = drawFor(seed, 'guest', intentId)
  return {
    kind: 'completed',
    auctionSeconds: 20,
    bids: bidsOf('completed', draw),
    recipients: 1,
    settleAfter: 1,
    refundAfter: 0,
  }
}

function bidsOf(kind: FateKind, draw: ReturnType<typeof drawFor>): Fate['bids'] {
  const isIgnored = kind === 'ignored' || kind === 'unanchored' || kind.startsWith('cancelled')
  if (isIgnored) return []
  let marginBps = 0
  return Array.from({ length: draw.pick([1, 1, 2, 3, 4]) }, () => {
    marginBps += draw.between(1, 12)
    return { solver: draw.between(0, 3), marginBps }
  })
}

function weightedKind(fraction: number): FateKind {
  const kinds = Object.entries(KINDS) as [FateKind, number][]
  let left = fraction * kinds.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [kind, weight] of kinds) {
    left -= weight
    if (left < 0) return kind
  }
  return 'completed'
}
