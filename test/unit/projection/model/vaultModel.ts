import { keccak256 } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { createIntent } from './bridgeModel.ts'
import { account, add, emitVault, MIN_AUCTION, type ModelChain, owe } from './chainModel.ts'

/** The rules of OrderVault in short, kept apart from the reducer so that it can judge it. */
export type ModelOrder = {
  id: Hex
  owner: Hex
  token: Hex
  tokenB: Hex
  destChainId: number
  expectedAmountB: bigint
  totalAmount: bigint
  amountPerPeriod: bigint
  period: number
  firstAt: number
  endTime: number
  left: bigint
  fired: number
  lastFiredAt: number
  closed: boolean
  /** Ids of its intents, in their order. */
  intents: bigint[]
}

type Terms = Pick<
  ModelOrder,
  | 'owner'
  | 'token'
  | 'tokenB'
  | 'destChainId'
  | 'expectedAmountB'
  | 'totalAmount'
  | 'amountPerPeriod'
  | 'period'
  | 'endTime'
> & { startTime: number; encrypted: Hex }

/** Calls of the vault. Each returns whether the contract would have taken it. */
export function fundOrder(chain: ModelChain, terms: Terms): boolean {
  const { startTime, encrypted, ...kept } = terms
  const id = keccak256(encrypted)
  const quorum = chain.quorums.get(terms.token)
  if (quorum === undefined || chain.orders.some((order) => order.id === id)) return false
  if (terms.period < 5 || terms.endTime <= startTime || terms.endTime <= chain.time) return false
  if (terms.totalAmount < terms.amountPerPeriod || terms.amountPerPeriod < 10_000n) return false
  chain.orders.push({
    ...kept,
    id,
    firstAt: Math.max(startTime, chain.time),
    left: terms.totalAmount,
    fired: 0,
    lastFiredAt: 0,
    closed: false,
    intents: [],
  })
  add(chain.vaultBalances, terms.token, terms.totalAmount)
  emitVault(chain, 'OrderFunded', {
    orderId: id,
    owner: terms.owner,
    token: terms.token,
    destChainId: BigInt(terms.destChainId),
    tokenB: terms.tokenB,
    expectedAmountB: terms.expectedAmountB,
    totalAmount: terms.totalAmount,
    amountPerPeriod: terms.amountPerPeriod,
    period: BigInt(terms.period),
    startTime: BigInt(startTime),
    endTime: BigInt(terms.endTime),
    quorum,
    encrypted,
  })
  return true
}

/** When the next tranche may be fired. */
export function dueAt({ firstAt, fired, period, lastFiredAt }: ModelOrder): number {
  const scheduled = firstAt + fired * period
  return fired === 0 ? scheduled : Math.max(scheduled, lastFiredAt + Math.ceil(period / 2))
}

export function fireTranche(chain: ModelChain, order: ModelOrder, blob: Hex): boolean {
  const { amountPerPeriod, owner, period } = order
  if (order.closed || order.left < amountPerPeriod) return false
  if (chain.time < dueAt(order) || chain.time >= order.endTime) return false
  const reward = (amountPerPeriod * 500n) / 10_000n
  const created = createIntent(chain, {
    sender: owner,
    destChainId: order.destChainId,
    tokenA: order.token,
    tokenB: order.tokenB,
    amountA: amountPerPeriod - reward,
    expectedAmountB: order.expectedAmountB,
    reward,
    duration: Math.max(Math.floor(period / 2), MIN_AUCTION),
    encryptedBlob: blob,
  })
  if (!created) return false
  const n = order.fired
  const intentId = chain.intents.at(-1)!.id
  order.left -= amountPerPeriod
  order.fired += 1
  order.lastFiredAt = chain.time
  order.intents.push(intentId)
  add(chain.vaultBalances, order.token, -amountPerPeriod)
  emitVault(chain, 'TrancheFired', { orderId: order.id, n: BigInt(n), intentId })
  return true
}

/** By the owner, or by the enclaves' signatures, which the model takes for given. */
export function closeOrder(chain: ModelChain, order: ModelOrder): boolean {
  if (order.closed) return false
  const { id: orderId, owner, token, left: amount } = order
  const isFilled = amount < order.amountPerPeriod
  const reason = isFilled ? 0 : chain.time >= order.endTime ? 1 : 2
  order.left = 0n
  order.closed = true
  emitVault(chain, 'OrderClosed', { orderId, owner, amount, reason })
  if (amount === 0n) return true
  if (!chain.blocked.has(owner)) add(chain.vaultBalances, token, -amount)
  else {
    owe(chain.vaultCredits, owner, token, amount)
    emitVault(chain, 'VaultCreditAdded', { owner, token, amount })
  }
  return true
}

export function claimFromVault(chain: ModelChain, key: string): boolean {
  const credit = chain.vaultCredits.get(key)
  if (!credit) return false
  chain.vaultCredits.delete(key)
  add(chain.vaultBalances, credit.token, -credit.amount)
  emitVault(chain, 'VaultCreditClaimed', credit)
  return true
}

/** An order as submitted: none is like another. */
export function ciphertextOf(chain: ModelChain): Hex {
  return account(1 + (chain.orders.length % 200), 65 + chain.orders.length)
}
