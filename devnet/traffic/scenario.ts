import { unpackIntentId } from '../../core/intent/id.ts'
import { drawFor } from './seededRandom.ts'

/** What the senders, and the rogue solver, make of an intent. The rest is the service's work. */
export type Scenario = {
  kind: ScenarioKind
  /** Seconds of the auction. */
  auctionSeconds: number
  recipients: number
  /** Basis points of the requested amount that the recipients get; the rest is a surplus. Default all. */
  namedBps?: number
  /** Seconds between the moment a refund is possible and the sender's asking for it. */
  refundAfter: number
}

const KINDS = {
  /** A fair offer, with recipients: the solvers and the relayer do the rest. */
  completed: 52,
  /** The same, and the auction goes on for minutes. */
  longAuction: 5,
  /** The rogue outbids everybody by little at the last moment and doesn't come; a solver picks it up. */
  rescued: 6,
  /** The rogue bids ten times what it is worth and doesn't come: nobody can pick it up for that. */
  spoiled: 2,
  /** The token refuses the first recipient, who is credited, and paid once the token has changed its mind. */
  refused: 3,
  /** Asks for more than it is worth: nobody bids. */
  ignored: 7,
  /** The sender never says who shall receive, so nobody can bid. */
  unanchored: 2,
  /** Asks for too much; the rogue bids and doesn't come, and nobody else does. */
  abandoned: 5,
  /** Asks for too much; the rogue wins and never delivers. */
  undelivered: 6,
  /** The same, but nothing is revealed to the winner, which asks on chain, gets the answer there, and delivers. */
  asked: 3,
  /** It delivers after its deadline. */
  lateDelivery: 2,
  /** It delivers less than it committed to. */
  shortDelivery: 2,
  /** The sender takes it back at once. */
  cancelledAtOnce: 3,
  /** The sender takes it back after it was anchored; nobody has bid, since it asks for too much. */
  cancelledLater: 4,
} as const satisfies Record<string, number>

export type ScenarioKind = keyof typeof KINDS

/** Fates of offers that no solver in its senses takes. */
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

/** Fates of each chain's first intents: every outcome comes about in the first minute. */
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

/** The scenario of an intent that one of the player's own senders made. */
export function scenarioOf(seed: number, intentId: bigint): Scenario {
  const { chainId, sequence } = unpackIntentId(intentId)
  return scenarioOfSequence(seed, chainId, Number(sequence))
}

/** The same before the intent exists, when only its number to be is known. */
export function scenarioOfSequence(seed: number, chainId: number, sequence: number): Scenario {
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
