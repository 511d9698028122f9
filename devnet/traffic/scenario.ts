import { unpackIntentId } from '../../core/intent/intentId.ts'
import { drawFor } from './seededRandom.ts'

/** The sender's and the rogue solver's part in an intent. The service does the rest. */
export type Scenario = {
  kind: ScenarioKind
  /** Auction length in seconds. */
  auctionSeconds: number
  recipients: number
  /** Basis points of the requested amount that go to recipients; the rest is a surplus. Default all. */
  namedBps?: number
  /** Seconds from the time a refund becomes possible until the sender requests it. */
  refundAfter: number
}

const KINDS = {
  /** A fair offer with recipients: solvers and relayer do the rest. */
  completed: 52,
  /** The same with an auction of several minutes. */
  longAuction: 5,
  /** The rogue outbids everyone slightly at the last moment and doesn't deposit; a solver takes over. */
  rescued: 6,
  /** The rogue bids ten times the intent's worth and doesn't deposit: nobody can take over at that price. */
  spoiled: 2,
  /** The token refuses the first recipient, who is credited, and paid once the token accepts again. */
  refused: 3,
  /** Asks for more than it is worth: nobody bids. */
  ignored: 7,
  /** The sender never names recipients, so nobody can bid. */
  unanchored: 2,
  /** Asks for too much; the rogue bids but doesn't deposit, and nobody takes over. */
  abandoned: 5,
  /** Asks for too much; the rogue wins and never delivers. */
  undelivered: 6,
  /** The same, but nothing is revealed to the winner until it requests the reveal on chain; then it delivers. */
  asked: 3,
  /** The winner delivers after its deadline. */
  lateDelivery: 2,
  /** The winner delivers less than it committed to. */
  shortDelivery: 2,
  /** The sender cancels at once. */
  cancelledAtOnce: 3,
  /** The sender cancels after the anchor; nobody has bid, since it asks for too much. */
  cancelledLater: 4,
} as const satisfies Record<string, number>

export type ScenarioKind = keyof typeof KINDS

/** Scenarios of offers that no rational solver accepts. */
const TOO_DEAR: ReadonlySet<ScenarioKind> = new Set([
  'ignored',
  'abandoned',
  'undelivered',
  'asked',
  'lateDelivery',
  'shortDelivery',
  'cancelledLater',
])

/** Whether an intent of this scenario asks for more than it is worth. */
export function isTooDear(kind: ScenarioKind): boolean {
  return TOO_DEAR.has(kind)
}

/** Scenarios of each chain's first intents: every outcome occurs in the first minute. */
export const OPENING: readonly ScenarioKind[] = [
  'completed',
  'ignored',
  'undelivered',
  'completed',
  'cancelledAtOnce',
  'abandoned',
  'completed',
  'rescued',
  'asked',
  'refused',
  'longAuction',
  'lateDelivery',
  'cancelledLater',
  'shortDelivery',
  'spoiled',
  'unanchored',
  'completed',
]

/** The scenario of an existing intent by one of the player's senders. */
export function findScenario(seed: number, intentId: bigint): Scenario {
  const { chainId, sequence } = unpackIntentId(intentId)
  return findScenarioBySequence(seed, chainId, Number(sequence))
}

/** The scenario of an intent that doesn't exist yet, by its future number. */
export function findScenarioBySequence(seed: number, chainId: number, sequence: number): Scenario {
  const draw = drawFor(seed, 'fate', chainId, sequence)
  const opening = sequence <= OPENING.length
  const kind = OPENING[sequence - 1] ?? weightedKind(draw.fraction())
  return {
    kind,
    auctionSeconds:
      kind === 'longAuction' ? draw.between(180, 420) : opening ? 20 : draw.between(20, 60),
    recipients: draw.pick([1, 1, 1, 2, 3, 5, 8]),
    refundAfter: opening ? draw.between(0, 2) : draw.between(0, 90),
  }
}

function weightedKind(fraction: number): ScenarioKind {
  const kinds = Object.entries(KINDS) as [ScenarioKind, number][]
  let left = fraction * kinds.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [kind, weight] of kinds) {
    left -= weight
    if (left < 0) return kind
  }
  return 'completed'
}
