import { parseChainId } from '../chain/parseChainId.ts'
import type { ChainEvent } from '../event/chainEvent.ts'
import type { VaultEventOf } from '../event/vaultEvent.ts'
import type { OrderFacts, StopReason } from './orderFacts.ts'

/** By the contract's numbers. */
const STOP_REASONS: readonly StopReason[] = ['filled', 'end_time', 'user_cancel']

/**
 * What a chain says of an order, after one more event about it: the vault's own, or the bridge's of one of
 * its tranches.
 *
 * Total: an event that says nothing of an order, or that comes before the funding, leaves the facts as they
 * are (the same object). Events must be given in the chain's order. Knows no clock.
 */
export function evolveOrder(order: OrderFacts | null, event: ChainEvent): OrderFacts | null {
  if (event.type === 'OrderFunded') return funded(event)
  return order && amend(order, event)
}

function amend(order: OrderFacts, event: ChainEvent): OrderFacts {
  switch (event.type) {
    case 'TrancheFired':
      return {
        ...order,
        tranchesFired: order.tranchesFired + 1,
        lastFiredAt: event.point.blockTimestamp,
        remaining: order.remaining - order.amountPerPeriod,
        ...touched(event),
      }
    case 'OrderClosed':
      return closed(order, event)
    case 'IntentSettled':
      return { ...order, tranchesCompleted: order.tranchesCompleted + 1, ...touched(event) }
    case 'IntentCancelled':
    case 'IntentRefunded':
      return {
        ...order,
        tranchesRefunded: order.tranchesRefunded + 1,
        amountRefunded: order.amountRefunded + event.args.amount,
        ...touched(event),
      }
    default:
      return order
  }
}

function funded(event: VaultEventOf<'OrderFunded'>): OrderFacts {
  const { args, point } = event
  const destChainId = parseChainId(args.destChainId)
  if (destChainId === null) throw new RangeError(`no chain can have the id ${args.destChainId}`)
  const startTime = Number(args.startTime)
  return {
    chainId: point.chainId,
    orderId: args.orderId,
    owner: args.owner,
    destChainId,
    tokenA: args.token,
    tokenB: args.tokenB,
    totalAmount: args.totalAmount,
    amountPerPeriod: args.amountPerPeriod,
    expectedAmountB: args.expectedAmountB,
    period: Number(args.period),
    startTime,
    firstAt: Math.max(startTime, point.blockTimestamp),
    endTime: Number(args.endTime),
    quorum: args.quorum,
    fundTxHash: point.transactionHash,
    fundedAt: point.blockTimestamp,
    fundedBlock: point.blockNumber,
    tranchesFired: 0,
    tranchesCompleted: 0,
    tranchesRefunded: 0,
    lastFiredAt: null,
    remaining: args.totalAmount,
    amountRefunded: 0n,
    closeReason: null,
    closeTxHash: null,
    closedAt: null,
    amountReturned: null,
    ...touched(event),
  }
}

function closed(order: OrderFacts, event: VaultEventOf<'OrderClosed'>): OrderFacts {
  const { args, point } = event
  const closeReason = STOP_REASONS[args.reason]
  if (!closeReason) throw new RangeError(`an order can't be closed for reason ${args.reason}`)
  return {
    ...order,
    remaining: order.remaining - args.amount,
    closeReason,
    closeTxHash: point.transactionHash,
    closedAt: point.blockTimestamp,
    amountReturned: args.amount,
    ...touched(event),
  }
}

function touched({ point }: ChainEvent): Pick<OrderFacts, 'updatedBlock' | 'updatedAt'> {
  return { updatedBlock: point.blockNumber, updatedAt: point.blockTimestamp }
}
