import fc from 'fast-check'
import type { Clocks } from '../../../core/intent/chainClocks.ts'
import { packIntentId } from '../../../core/intent/intentId.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Delivery, KnownIntent, Phase, SourceFacts } from '../../../src/intent/intentFacts.ts'

/** Two chains with a clock, and one that no intent starts on and that the index doesn't have. */
export const INDEXED = [84532, 2651420]
const UNINDEXED = 137

/** Everything happens within this many seconds, so that deadlines and clocks often coincide. */
const T = 1_700_000_000
const SPAN = 12

export const CLOCKS: Clocks = new Map(
  INDEXED.map((chainId, i) => [chainId, { timestamp: T + 5 + i * 2, blockNumber: 100 + i }]),
)

const address = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(20)}`
const anyTime = fc.integer({ min: T, max: T + SPAN })
const anySolver = fc.constantFrom(address(0x61), address(0x62))
const anyToken = fc.constantFrom(address(0x71), address(0x72))
const anyAmount = fc.bigInt({ min: 9n, max: 11n })
const HASH: Hex = `0x${'ab'.repeat(32)}`

const anyPhase = fc.constantFrom<Phase>(
  ...(['open', 'bidding', 'deposited', 'deposited', 'deposited'] as const),
  ...(['completed', 'cancelled', 'expired', 'failed'] as const),
)

const anyClaim = fc.record({
  isWinner: fc.boolean(),
  onDestination: fc.boolean(),
  isTokenB: fc.boolean(),
  isOfTerms: fc.constantFrom(true, true, true, false),
  amountB: anyAmount,
  solvedAt: anyTime,
})

const anyShape = fc.record({
  source: fc.constantFrom(...INDEXED),
  destination: fc.constantFrom(...INDEXED, UNINDEXED),
  phase: anyPhase,
  endTime: anyTime,
  pickup: fc.integer({ min: 1, max: 4 }),
  bidCount: fc.integer({ min: 0, max: 3 }),
  solver: anySolver,
  tokenB: anyToken,
  winningAmountB: anyAmount,
  fillDeadline: anyTime,
  claims: fc.array(anyClaim, { maxLength: 3 }),
})

/** Random facts, each about a different intent. */
export function randomFacts(count: number, seed: number): KnownIntent[] {
  let deliveries = 0n
  return fc.sample(anyShape, { seed, numRuns: count }).map((shape, index) => {
    const intentId = packIntentId(shape.source, BigInt(index + 1))
    const source = sourceOf(shape, intentId)
    return {
      source,
      deliveries: shape.claims.map((claim) => {
        deliveries += 1n
        return buildDelivery(claim, source, deliveries)
      }),
    }
  })
}

type Shape = ReturnType<typeof anyShape.generate>['value']
type Claim = Shape['claims'][number]

function sourceOf(shape: Shape, intentId: bigint): SourceFacts {
  const won = ['deposited', 'completed', 'failed'].includes(shape.phase)
  return {
    sourceChainId: shape.source,
    intentId,
    paramsHash: HASH,
    phase: shape.phase,
    sender: address(0x51),
    destChainId: shape.destination,
    tokenA: address(0x70),
    tokenB: shape.tokenB,
    amountA: 100n,
    expectedAmountB: 9n,
    reward: 1n,
    endTime: shape.endTime,
    firmAt: shape.endTime - 1,
    pickupDeadline: shape.endTime + 2 * shape.pickup,
    createTxHash: HASH,
    createdAt: T,
    createdBlock: 1,
    bidCount: shape.phase === 'open' ? 0 : shape.bidCount,
    blobCount: 1,
    blobsHash: HASH,
    orderId: null,
    trancheIndex: null,
    quorum: 1,
    feeBps: 250,
    recipientClass: 1,
    solver: won ? shape.solver : null,
    winningAmountB: won ? shape.winningAmountB : null,
    bond: won ? 5n : null,
    fillDeadline: won ? shape.fillDeadline : null,
    ...NOT_NEEDED,
    updatedBlock: 1,
    updatedAt: T,
  }
}

function buildDelivery(claim: Claim, source: SourceFacts, number: bigint): Delivery {
  // Nothing is known of what happened on a chain that isn't indexed.
  const reachable = claim.onDestination && INDEXED.includes(source.destChainId)
  const elsewhere = INDEXED.find((chainId) => chainId !== source.destChainId) as number
  const destChainId = reachable ? source.destChainId : elsewhere
  return {
    destChainId,
    chain2IntentId: packIntentId(destChainId, number),
    sourceChainId: source.sourceChainId,
    intentId: source.intentId,
    solver: claim.isWinner ? (source.solver ?? address(0x61)) : address(0x99),
    paramsHash: claim.isOfTerms ? source.paramsHash : `0x${'cd'.repeat(32)}`,
    tokenB: claim.isTokenB ? source.tokenB : address(0x79),
    amountB: claim.amountB,
    credited: 0n,
    solveTxHash: HASH,
    solvedAt: claim.solvedAt,
    solvedBlock: 1,
  }
}

/** Columns that the status doesn't look at. */
const NOT_NEEDED = {
  anchorTxHash: null,
  anchoredAt: null,
  bestBid: null,
  bestBidder: null,
  depositTxHash: null,
  depositedAt: null,
  askedAt: null,
  askTxHash: null,
  revealedAt: null,
  revealTxHash: null,
  settleTxHash: null,
  settledAt: null,
  payout: null,
  fee: null,
  chain2IntentId: null,
  attester: null,
  cancelTxHash: null,
  cancelledAt: null,
  refundTxHash: null,
  refundedAt: null,
  refundAmount: null,
  forfeitedBond: null,
} as const
