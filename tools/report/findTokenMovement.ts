import type { InMemoryRowStore } from '../../core/rows/inMemoryRowStore.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainEvent, ChainEventType } from '../../src/event/chainEvent.ts'

/** Tokens that entered or left a contract, in base units. Earning a fee moves nothing: it stays in the contract. */
type Movement = {
  holder: 'bridge' | 'vault'
  token: Hex
  kind: ChainEventType
  in: bigint
  out: bigint
}

/**
 * What an event moved; null if nothing. Uses the event's own amounts: the statement compares them with the reducer's, which
 * are computed independently.
 *
 * @param store rows of the event's chain, at the event or later
 */
export function findTokenMovement(event: ChainEvent, store: InMemoryRowStore): Movement | null {
  const { chainId } = event.point
  const bridge = (token: Hex, into: bigint, out: bigint): Movement => {
    return { holder: 'bridge', token, kind: event.type, in: into, out }
  }
  const tokenOf = (intentId: bigint): Hex => {
    return requireRow(store.find('intent', { sourceChainId: chainId, intentId }), event).tokenA
  }
  switch (event.type) {
    case 'IntentCreated':
      return bridge(event.args.tokenA, event.args.amountA + event.args.reward, 0n)
    case 'IntentSettled':
      return bridge(tokenOf(event.args.intentId), 0n, event.args.payout)
    case 'IntentCancelled':
    case 'IntentRefunded':
    case 'BidForfeited':
      return bridge(tokenOf(event.args.intentId), 0n, event.args.amount)
    case 'StakeAdded':
    case 'CreditAdded':
      return bridge(event.args.token, event.args.amount, 0n)
    case 'DeliveryCredited':
      return bridge(event.args.tokenB, event.args.amount, 0n)
    case 'StakeRemoved':
    case 'CreditClaimed':
    case 'DeliveryClaimed':
    case 'FeesCollected':
      return bridge(event.args.token, 0n, event.args.amount)
    default:
      return findVaultMovement(event, store)
  }
}

function findVaultMovement(event: ChainEvent, store: InMemoryRowStore): Movement | null {
  const { chainId } = event.point
  const vault = (token: Hex, into: bigint, out: bigint): Movement => {
    return { holder: 'vault', token, kind: event.type, in: into, out }
  }
  const orderOf = (orderId: Hex) =>
    requireRow(store.find('scheduledOrder', { chainId, orderId }), event)
  switch (event.type) {
    case 'OrderFunded':
      return vault(event.args.token, event.args.totalAmount, 0n)
    case 'TrancheFired': {
      const { tokenA, amountPerPeriod } = orderOf(event.args.orderId)
      return vault(tokenA, 0n, amountPerPeriod)
    }
    case 'OrderClosed':
      return vault(orderOf(event.args.orderId).tokenA, 0n, event.args.amount)
    case 'VaultCreditAdded':
      return vault(event.args.token, event.args.amount, 0n)
    case 'VaultCreditClaimed':
      return vault(event.args.token, 0n, event.args.amount)
    default:
      return null
  }
}

function requireRow<Row>(row: Row | null, { type, point }: ChainEvent): Row {
  if (row) return row
  throw new Error(
    `${type} in block ${point.blockNumber} refers to something that was never created`,
  )
}
