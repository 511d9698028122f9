import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import type { Clocks } from '../../../core/intent/chainClocks.ts'
import { packIntentId } from '../../../core/intent/intentId.ts'
import type { BridgeEvent, EventArgs, EventType, Hex } from '../../../src/event/bridgeEvent.ts'
import type { CreationTerms } from '../../../src/intent/bridgeTerms.ts'

/** One intent from SOURCE to DESTINATION, told in events. Times are seconds after T. */
export const SOURCE = 84532
export const DESTINATION = 2651420
export const ELSEWHERE = 137
export const INTENT = packIntentId(SOURCE, 1n)
export const T = 1_700_000_000
export const TERMS: CreationTerms = {
  firmSeconds: 30,
  pickupWindow: 60,
  executionWindow: 3600,
  settlementGrace: 1800,
  quorum: 1,
}

const address = (byte: string): Hex => `0x${byte.repeat(20)}`
export const SENDER = address('51')
export const SOLVER = address('61')
export const RIVAL = address('62')
export const STRANGER = address('99')
export const TOKEN_A = address('71')
export const TOKEN_B = address('72')
export const OTHER_TOKEN = address('73')
export const BRIDGE = address('b0')

export const END_TIME = T + 100
export const FIRM_AT = END_TIME - 30
export const PICKUP_DEADLINE = END_TIME + 120
export const DEPOSIT_TIME = END_TIME + 10
export const BOND = 50_250n
export const FILL_DEADLINE = DEPOSIT_TIME + TERMS.executionWindow
export const REFUNDABLE_FROM = FILL_DEADLINE + TERMS.settlementGrace

/** An event of a chain. One block a second: the block number follows from the time. */
export function event<Type extends EventType>(
  type: Type,
  args: EventArgs[Type],
  at: number,
  chainId: number = SOURCE,
): BridgeEvent {
  const blockNumber = at - T + 1000
  const block = (chainId * 2 ** 20 + blockNumber).toString(16)
  const point = {
    chainId,
    blockNumber,
    blockHash: `0xb1${block.padStart(62, '0')}`,
    blockTimestamp: at,
    logIndex: 0,
    transactionHash: txHash(type, at),
    transactionFrom: SENDER,
  }
  return { type, address: BRIDGE, point, args } as unknown as BridgeEvent
}

/** The transaction in which `event` puts an event of this type and time. */
export function txHash(type: EventType, at: number): Hex {
  return `0x${Buffer.from(`${type}@${at - T}`)
    .toString('hex')
    .padEnd(64, '0')}`
}

export const created = (changes: Partial<EventArgs['IntentCreated']> = {}, at = T): BridgeEvent =>
  event(
    'IntentCreated',
    {
      intentId: INTENT,
      user: SENDER,
      destChainId: BigInt(DESTINATION),
      tokenA: TOKEN_A,
      tokenB: TOKEN_B,
      amountA: 1_000_000n,
      expectedAmountB: 900_000n,
      reward: 5_000n,
      endTime: BigInt(END_TIME),
      encryptedBlob: '0x',
      ...changes,
    },
    at,
  )

export const anchored = (at = T + 5, feeBps = 250, encryptedBlob: Hex = '0x01'): BridgeEvent =>
  event('IntentAnchored', { intentId: INTENT, feeBps, recipientClass: 4, encryptedBlob }, at)

export const blobAppended = (at: number, kind = 3): BridgeEvent =>
  event('BlobAppended', { intentId: INTENT, kind, encryptedBlob: '0x01' }, at)

export const asked = (at = DEPOSIT_TIME + 900): BridgeEvent =>
  event('RecipientsAsked', { intentId: INTENT, solver: SOLVER }, at)

export const revealed = (at = DEPOSIT_TIME + 1000): BridgeEvent =>
  event('RecipientsRevealed', { intentId: INTENT, sealedRecipients: '0x05' }, at)

export const forfeited = (solver: Hex, at: number): BridgeEvent =>
  event('BidForfeited', { intentId: INTENT, solver, amount: BOND }, at)

export const bid = (amountB = 950_000n, solver = SOLVER, at = T + 20): BridgeEvent =>
  event('BidPlaced', { intentId: INTENT, solver, amountB }, at)

export const deposited = (amountB = 950_000n, solver = SOLVER, at = DEPOSIT_TIME): BridgeEvent =>
  event(
    'SolverDeposited',
    {
      intentId: INTENT,
      solver,
      amountB,
      bond: BOND,
      fillDeadline: BigInt(at + TERMS.executionWindow),
    },
    at,
  )

type Claim = Partial<EventArgs['IntentSolved']> & { at?: number; chainId?: number }

export const delivered = (claim: Claim = {}): BridgeEvent => {
  const { at = DEPOSIT_TIME + 30, chainId = DESTINATION, ...changes } = claim
  const args = {
    chain2IntentId: packIntentId(chainId, 1n),
    sourceChainId: BigInt(SOURCE),
    intentId: INTENT,
    paramsHash: PARAMS_HASH,
    solver: SOLVER,
    tokenB: TOKEN_B,
    amountB: 950_000n,
    ...changes,
  }
  return event('IntentSolved', args, at, chainId)
}

export const credited = (amount: bigint, at = DEPOSIT_TIME + 30): BridgeEvent =>
  event(
    'DeliveryCredited',
    { chain2IntentId: packIntentId(DESTINATION, 1n), tokenB: TOKEN_B, amount },
    at,
    DESTINATION,
  )

export const settled = (at = DEPOSIT_TIME + 60): BridgeEvent =>
  event(
    'IntentSettled',
    {
      intentId: INTENT,
      solver: SOLVER,
      payout: 980_000n,
      fee: 25_000n,
      chain2IntentId: packIntentId(DESTINATION, 1n),
      attester: STRANGER,
    },
    at,
  )

export const cancelled = (at = T + 50): BridgeEvent =>
  event('IntentCancelled', { intentId: INTENT, user: SENDER, amount: 1_005_000n }, at)

export const refunded = (
  reason: 0 | 1,
  at: number,
  forfeitedBond = reason ? BOND : 0n,
): BridgeEvent =>
  event(
    'IntentRefunded',
    {
      intentId: INTENT,
      user: SENDER,
      amount: 1_005_000n,
      forfeitedBond,
      reason,
    },
    at,
  )

/** The scene's terms, hashed as Solidity's abi.encode has them. */
export const PARAMS_HASH: Hex = keccak256(
  encodeAbiParameters(
    parseAbiParameters(
      'uint256, address, address, address, address, uint256, uint256, uint256, uint256, uint256',
    ),
    [
      BigInt(SOURCE),
      BRIDGE,
      SENDER,
      TOKEN_A,
      TOKEN_B,
      1_000_000n,
      900_000n,
      5_000n,
      BigInt(DESTINATION),
      100n,
    ],
  ),
)

/** What time it is on the two chains; a chain left out has no clock. */
export function clocksAt(source?: number, destination?: number): Clocks {
  const heads: [number, number | undefined][] = [
    [SOURCE, source],
    [DESTINATION, destination],
  ]
  return new Map(
    heads.flatMap(([chainId, timestamp]) =>
      timestamp === undefined ? [] : [[chainId, { timestamp, blockNumber: timestamp - T + 1000 }]],
    ),
  )
}
