import { type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex } from 'viem'
import { packIntentId } from '../../../core/intent/intentId.ts'
import type { EventArgs, EventType } from '../../../src/event/bridgeEvent.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import type { PlannedLog } from './emitterCode.ts'

const destination = 2651420n
const blob = `0x01${'5a'.repeat(511)}` as Hex
const tokens = ['a1', 'b2'].map((byte) => `0x${byte.repeat(20)}` as Hex)
const attester = `0x${'c3'.repeat(20)}` as Hex
const registry = `0x${'c4'.repeat(20)}` as Hex
const forfeitReceiver = `0x${'de'.repeat(20)}` as Hex
const treasury = `0x${'d4'.repeat(20)}` as Hex
const solvers = Array.from({ length: 12 }, (_, at) => account(0x5000 + at))
/** Concurrently open intents. */
const openIntents = 40
const farFuture = 4_000_000_000n

/**
 * Logs a bridge could have emitted: deployment and setup, then many concurrent intents that are created, anchored, bid on,
 * won, settled, cancelled and refunded. The same seed gives the same history.
 */
export function* generateBridgeHistory({
  chainId,
  events,
  seed = 1,
}: {
  chainId: number
  events: number
  seed?: number
}): Generator<PlannedLog> {
  const random = createRandom(seed)
  const setUp = [...deployment()]
  yield* setUp.slice(0, events)
  let sequence = 0n
  const open: Iterator<PlannedLog>[] = []
  for (let left = events - setUp.length; left > 0; ) {
    while (open.length < openIntents) {
      sequence += 1n
      open.push(lifeOf(packIntentId(chainId, sequence), random))
    }
    const chosen = Math.floor(random() * open.length)
    const { value, done } = (open[chosen] as Iterator<PlannedLog>).next()
    if (done) {
      open.splice(chosen, 1)
      continue
    }
    yield value
    left -= 1
  }
}

function* deployment(): Generator<PlannedLog> {
  const windows = { pickupWindow: 60, executionWindow: 3600, settlementGrace: 259_200 }
  const auction = { minAuctionDuration: 20, firmSeconds: 30 }
  yield planned('BridgeDeployed', { registry, treasury, forfeitReceiver, ...auction, ...windows })
  const listing = { minAmount: 10_000n, maxAmount: 10n ** 24n, quorum: 1 }
  for (const token of tokens) yield planned('TokenListed', { token, ...listing })
  yield planned('DestinationListed', { destChainId: destination })
  for (const [at, solver] of solvers.entries()) {
    yield planned('SealingKeySet', { solver, x: BigInt(at + 1), y: BigInt(at + 2) })
    for (const token of tokens) yield planned('StakeAdded', { solver, token, amount: 10n ** 24n })
  }
}

/** An intent from creation to end. Half of them settle; the rest end in the other ways. */
function* lifeOf(intentId: bigint, random: () => number): Generator<PlannedLog> {
  const user = account(Math.floor(random() * 5000))
  const tokenA = pick(tokens, random)
  const amountA = BigInt(1_000_000 + Math.floor(random() * 1e9))
  const reward = amountA / 50n
  yield planned('IntentCreated', {
    intentId,
    user,
    destChainId: destination,
    tokenA,
    tokenB: pick(tokens, random),
    amountA,
    expectedAmountB: amountA - reward,
    reward,
    endTime: farFuture,
    encryptedBlob: blob,
  })
  const fate = random()
  if (fate < 0.1)
    return yield planned('IntentCancelled', { intentId, user, amount: amountA + reward })
  const feeBps = random() < 0.3 ? 700 : 250
  yield planned('IntentAnchored', { intentId, feeBps, recipientClass: 1, encryptedBlob: '0x' })
  let amountB = amountA - reward
  let solver = pick(solvers, random)
  for (let bids = 1 + Math.floor(random() * 3); bids > 0; bids--) {
    solver = pick(solvers, random)
    amountB += 1n
    yield planned('BidPlaced', { intentId, solver, amountB })
  }
  const refund = { intentId, user, amount: amountA + reward }
  const bond = (amountA + reward) / 20n
  const lost = { ...refund, forfeitedBond: bond }
  if (fate < 0.2) {
    yield planned('BidForfeited', { intentId, solver, amount: bond })
    return yield planned('IntentRefunded', { ...lost, reason: 0 })
  }
  yield planned('SolverDeposited', { intentId, solver, amountB, bond, fillDeadline: farFuture })
  if (fate < 0.3) {
    yield planned('BidForfeited', { intentId, solver, amount: bond })
    return yield planned('IntentRefunded', { ...lost, reason: 1 })
  }
  const fee = (amountA * BigInt(feeBps)) / 10_000n
  const payout = amountA - fee + reward
  yield planned('IntentSettled', {
    intentId,
    solver,
    payout,
    fee,
    chain2IntentId: intentId,
    attester,
  })
}

const abiOf = new Map<string, AbiEvent>(EVENT_ABI.map((event) => [event.name, event]))

function planned<Type extends EventType>(type: Type, args: EventArgs[Type]): PlannedLog {
  const event = abiOf.get(type) as AbiEvent
  const values = args as Record<string, unknown>
  const unindexed = event.inputs.filter((input) => !input.indexed)
  return {
    topics: encodeEventTopics({ abi: [event], args: values } as never) as Hex[],
    data: encodeAbiParameters(
      unindexed,
      unindexed.map((input) => values[input.name as string]),
    ),
  }
}

function account(index: number): Hex {
  return `0x${(0x1000000 + index).toString(16).padStart(40, '0')}`
}

function pick<T>(choices: readonly T[], random: () => number): T {
  return choices[Math.floor(random() * choices.length)] as T
}

/** Uniform numbers in [0, 1) from a 32-bit seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
