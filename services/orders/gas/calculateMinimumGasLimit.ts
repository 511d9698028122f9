import { size } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import type { FoldedOrders } from '../follow/foldedOrders.ts'
import { estimateOrderCallGas } from './estimateOrderCallGas.ts'

/** Margin above a call's expected gas: up to a fifth of what it needs is refunded at the end. */
const MARGIN = 1.5

/** Gas that the vault requires to be left when it pays out: `PUSH_GAS_REQUIRED` of VaultPayouts.sol. */
const PUSH_GAS = 365_000

/**
 * The least gas limit of a vault call, by its size. A lying node could estimate less: the call would revert in its block
 * and be paid for again and again.
 */
export function calculateMinimumGasLimit(
  book: Pick<FoldedOrders, 'find'> | null,
  { kind, effect, data }: Pick<Transaction, 'kind' | 'effect' | 'data'>,
): bigint {
  const [orderId] = effect.split(':')
  const order = book?.find(orderId as Hex) ?? null
  const calls = estimateOrderCallGas({
    bytes: order?.size ?? size(data),
    quorum: order?.facts.quorum ?? 1,
  })
  const gas = { fundOrder: calls.fund, fireTranche: calls.fire, closeOrder: calls.close + PUSH_GAS }
  return BigInt(Math.ceil(MARGIN * (gas[kind as keyof typeof gas] ?? 0)))
}
