import type {
  BridgeEvent,
  EventArgs,
  EventType,
  Hex,
  LogPoint,
} from '../../../../src/event/bridgeEvent.ts'
import type { BridgeTerms } from '../../../../src/intent/terms.ts'

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
  feeBps: number | null
  bestBid: { solver: Hex; amountB: bigint } | null
  winner: { solver: Hex; amountB: bigint; bond: bigint; fillDeadline: number } | null
  ended: boolean
}

/** One chain with its bridge: state, the tokens it holds, and the logs it wrote. */
export type ModelChain = {
  chainId: number
  bridge: Hex
  terms: BridgeTerms
  blockNumber: number
  time: number
  logIndex: number
  intents: ModelIntent[]
  deliveries: Map<string, bigint>
  /** The bridge's real token balances, moved by transfers and by nothing else. */
  balances: Map<Hex, bigint>
  fees: Map<Hex, bigint>
  credits: Map<string, { owner: Hex; token: Hex; amount: bigint }>
  /** Accounts that tokens refuse to pay. */
  blocked: Set<Hex>
  paused: boolean
  events: BridgeEvent[]
}

export const TERMS: BridgeTerms = { pickupWindow: 60, executionWindow: 600, settlementGrace: 300 }

/** `0x` and a byte repeated, so that accounts are recognisable in a failure's output. */
export function account(byte: number, bytes = 20): Hex {
  return `0x${byte.toString(16).padStart(2, '0').repeat(bytes)}`
}

/** A chain on which the bridge has just been deployed. */
export function newChain(chainId: number, terms: BridgeTerms = TERMS): ModelChain {
  const chain: ModelChain = {
    chainId,
    bridge: account(0xb0),
    terms,
    blockNumber: 100,
    time: 1_700_000_000,
    logIndex: 0,
    intents: [],
    deliveries: new Map(),
    balances: new Map(),
    fees: new Map(),
    credits: new Map(),
    blocked: new Set(),
    paused: false,
    events: [],
  }
  emit(chain, 'BridgeDeployed', { relayer: account(0xa1), treasury: account(0xa2), ...terms })
  return chain
}

/** Mines a block `seconds` later. */
export function passTime(chain: ModelChain, seconds: number): void {
  chain.blockNumber += 1
  chain.time += seconds
  chain.logIndex = 0
}

/** Writes a log in the current block. */
export function emit<Type extends EventType>(
  chain: ModelChain,
  type: Type,
  args: EventArgs[Type],
  transactionFrom: Hex = account(0xee),
): void {
  const event = { type, address: chain.bridge, point: point(chain, transactionFrom), args }
  chain.events.push(event as unknown as BridgeEvent)
  chain.logIndex += 1
}

/** Tokens come in. */
export function pull(chain: ModelChain, token: Hex, amount: bigint): void {
  chain.balances.set(token, (chain.balances.get(token) ?? 0n) + amount)
}

/** Tokens go out, or become a credit of whom the token refuses. */
export function push(chain: ModelChain, token: Hex, owner: Hex, amount: bigint): void {
  if (!chain.blocked.has(owner)) {
    pull(chain, token, -amount)
    return
  }
  const key = `${owner}|${token}`
  const known = chain.credits.get(key)?.amount ?? 0n
  chain.credits.set(key, { owner, token, amount: known + amount })
  emit(chain, 'CreditAdded', { owner, token, amount })
}

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
