import { size } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../chain/transactions/transaction.ts'
import type { OrderBook } from '../follow/orderBook.ts'
import { gasOfCalls } from './gasMinimum.ts'

/** Room above what a call is reckoned to take in the end: up to a fifth of what it needs comes back only then. */
const ROOM = 1.5

/** Gas that must be left when the vault pays out, used or not: `PUSH_GAS_REQUIRED` of VaultPayouts.sol. */
const PUSH_GAS = 365_000

/**
 * Gas that a call of the vault gets at least, by its size. With less, which a node that lies might name, it would fail
 * in its block, and be paid for again and again.
 */
export function leastGas(
  book: Pick<OrderBook, 'find'> | null,
  { kind, effect, data }: Pick<Transaction, 'kind' | 'effect' | 'data'>,
): bigint {
  const [orderId] = effect.split(':')
  const order = book?.find(orderId as Hex) ?? null
  const calls = gasOfCalls({
    bytes: size(order?.encrypted ?? data),
    quorum: order?.facts.quorum ?? 1,
  })
  const gas = { fundOrder: calls.fund, fireTranche: calls.fire, closeOrder: calls.close + PUSH_GAS }
  return BigInt(Math.ceil(ROOM * (gas[kind as keyof typeof gas] ?? 0)))
}
