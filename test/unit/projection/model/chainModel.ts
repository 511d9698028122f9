import { concat, keccak256, numberToHex, zeroHash } from 'viem'
import type { EventArgs, EventType, Hex, LogPoint } from '../../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../../src/event/chainEvent.ts'
import type { VaultEventArgs, VaultEventType } from '../../../../src/event/vaultEvent.ts'
import type { BridgeTerms } from '../../../../src/intent/bridgeTerms.ts'
import type { ModelOrder } from './vaultModel.ts'

/** The rules of BridgeIntentV2 in short, kept apart from the reducer so that it can judge it. */
export type ModelIntent = {
  id: bigint
  sender: Hex
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  endTime: number
  firmAt: number
  paramsHash: Hex
  quorum: number
  blobAtCreation: boolean
  blobsHash: Hex
  named: boolean
  feeBps: number | null
  bestBid: { solver: Hex; amountB: bigint } | null
  winner: { solver: Hex; amountB: bigint; depositedAt: number; fillDeadline: number } | null
  asked: boolean
  revealed: boolean
  ended: boolean
}

/** A delivery as the bridge of its destination chain stores it. */
export type ModelDelivery = {
  chain2IntentId: bigint
  sourceChainId: bigint
  intentId: bigint
  paramsHash: Hex
  solver: Hex
  tokenB: Hex
  amountB: bigint
  solvedAt: number
}

type Owed = { owner: Hex; token: Hex; amount: bigint }

/** One chain with its bridge and its vault: state, the tokens they hold, and the logs they wrote. */
export type ModelChain = {
  chainId: number
  bridge: Hex
  vault: Hex
  terms: BridgeTerms
  blockNumber: number
  time: number
  logIndex: number
  intents: ModelIntent[]
  deliveries: Map<string, ModelDelivery>
  /** The bridge's real token balances, moved by transfers and by nothing else. */
  balances: Map<Hex, bigint>
  fees: Map<Hex, bigint>
  credits: Map<string, Owed>
  deliveryCredits: Map<string, Owed>
  sealingKeys: Set<Hex>
  /** By `solver|token`. */
  stakes: Map<string, { solver: Hex; token: Hex; total: bigint; locked: bigint }>
  /** What solvers lost, all in all, by token. */
  forfeited: Map<Hex, bigint>
  quorums: Map<Hex, number>
  announced: Map<Hex, { activeAt: number; enact: () => void }>
  orders: ModelOrder[]
  /** The vault's real token balances. */
  vaultBalances: Map<Hex, bigint>
  vaultCredits: Map<string, Owed>
  /** Accounts that tokens refuse to pay. */
  blocked: Set<Hex>
  events: ChainEvent[]
}

export const TERMS: BridgeTerms = {
  firmSeconds: 15,
  pickupWindow: 60,
  executionWindow: 600,
  settlementGrace: 300,
}
export const MIN_AUCTION = 20
export const TOKENS = [account(0x71), account(0x72)] as const
/** No one controls it. */
export const FORFEIT_RECEIVER = account(0xde)
const ANNOUNCEMENT_DELAY = 30

/** `0x` and a byte repeated, so that accounts are recognisable in a failure's output. */
export function account(byte: number, bytes = 20): Hex {
  return `0x${byte.toString(16).padStart(2, '0').repeat(bytes)}`
}

/** A chain on which the bridge has just been deployed. */
export function newChain(chainId: number, terms: BridgeTerms = TERMS): ModelChain {
  const chain: ModelChain = {
    chainId,
    bridge: account(0xb0),
    vault: account(0xa7),
    terms,
    blockNumber: 100,
    time: 1_700_000_000,
    logIndex: 0,
    intents: [],
    deliveries: new Map(),
    balances: new Map(),
    fees: new Map(),
    credits: new Map(),
    deliveryCredits: new Map(),
    sealingKeys: new Set(),
    stakes: new Map(),
    forfeited: new Map(),
    quorums: new Map(),
    announced: new Map(),
    orders: [],
    vaultBalances: new Map(),
    vaultCredits: new Map(),
    blocked: new Set(),
    events: [],
  }
  emit(chain, 'BridgeDeployed', {
    registry: account(0xa1),
    treasury: account(0xa2),
    forfeitReceiver: FORFEIT_RECEIVER,
    minAuctionDuration: MIN_AUCTION,
    ...terms,
  })
  for (const token of TOKENS) listToken(chain, token, 1)
  return chain
}

/** Lists a token, or lists it anew with another quorum for its later intents. */
export function listToken(chain: ModelChain, token: Hex, quorum: number): void {
  chain.quorums.set(token, quorum)
  emit(chain, 'TokenListed', { token, minAmount: 10_000n, maxAmount: 2n ** 95n, quorum })
}

/** Announces a change; anyone can enact it after the delay. */
export function announce(chain: ModelChain, change: Hex, enact: () => void): void {
  const changeId = keccak256(change)
  const activeAt = chain.time + ANNOUNCEMENT_DELAY
  chain.announced.set(changeId, { activeAt, enact })
  emit(chain, 'ChangeAnnounced', { changeId, change, activeAt: BigInt(activeAt) })
}

/** Mines a block `seconds` later. */
export function passTime(chain: ModelChain, seconds: number): void {
  chain.blockNumber += 1
  chain.time += seconds
  chain.logIndex = 0
}

/** Writes a log of the bridge in the current block. */
export function emit<Type extends EventType>(
  chain: ModelChain,
  type: Type,
  args: EventArgs[Type],
  transactionFrom: Hex = account(0xee),
): void {
  const event = { type, address: chain.bridge, point: point(chain, transactionFrom), args }
  chain.events.push(event as unknown as ChainEvent)
  chain.logIndex += 1
}

/** Writes a log of the vault in the current block. */
export function emitVault<Type extends VaultEventType>(
  chain: ModelChain,
  type: Type,
  args: VaultEventArgs[Type],
): void {
  const event = { type, point: point(chain, account(0xee)), args }
  chain.events.push(event as unknown as ChainEvent)
  chain.logIndex += 1
}

/** Tokens come in. */
export function pull(chain: ModelChain, token: Hex, amount: bigint): void {
  add(chain.balances, token, amount)
}

/** Tokens go out, or become a credit of whom the token refuses. */
export function push(chain: ModelChain, token: Hex, owner: Hex, amount: bigint): void {
  if (!chain.blocked.has(owner)) {
    pull(chain, token, -amount)
    return
  }
  owe(chain.credits, owner, token, amount)
  emit(chain, 'CreditAdded', { owner, token, amount })
}

/** Adds to what an account can claim of a token. */
export function owe(credits: Map<string, Owed>, owner: Hex, token: Hex, amount: bigint): void {
  const key = `${owner}|${token}`
  credits.set(key, { owner, token, amount: (credits.get(key)?.amount ?? 0n) + amount })
}

export function add(sums: Map<Hex, bigint>, token: Hex, amount: bigint): void {
  sums.set(token, (sums.get(token) ?? 0n) + amount)
}

/** A solver's stake in a token. */
export function stakeOf(chain: ModelChain, solver: Hex, token: Hex) {
  const key = `${solver}|${token}`
  const known = chain.stakes.get(key)
  if (known) return known
  const none = { solver, token, total: 0n, locked: 0n }
  chain.stakes.set(key, none)
  return none
}

/** The commitment to an intent's blobs after one more: of three words, as Solidity's `abi.encode` has them. */
export function foldBlob(previous: Hex, kind: number, blob: Hex): Hex {
  return keccak256(concat([previous, numberToHex(kind, { size: 32 }), keccak256(blob)]))
}

export const NO_BLOBS = zeroHash

function point(chain: ModelChain, transactionFrom: Hex): LogPoint {
  const { chainId, blockNumber, time, logIndex } = chain
  const place = BigInt(chainId) * 2n ** 64n + BigInt(blockNumber) * 2n ** 20n
  return {
    chainId,
    blockNumber,
    blockHash: hash(place),
    blockTimestamp: time,
    logIndex,
    transactionHash: hash(place + BigInt(logIndex) + 1n),
    transactionFrom,
  }
}

function hash(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}
