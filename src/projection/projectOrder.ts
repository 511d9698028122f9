import type { BridgeEventOf, Hex } from '../event/bridgeEvent.ts'
import type { ChainEvent } from '../event/chainEvent.ts'
import type { VaultEvent, VaultEventOf } from '../event/vaultEvent.ts'
import { NO_TERMS } from '../intent/bridgeTerms.ts'
import { evolveSource } from '../intent/evolveSource.ts'
import type { SourceFacts } from '../intent/intentFacts.ts'
import { evolveOrder } from '../order/evolveOrder.ts'
import type { OrderFacts } from '../order/orderFacts.ts'
import { historyIncomplete } from './projectionError.ts'
import { amendRow, insertRow, updateRow } from './rowChange.ts'
import { find, type Read } from './rowReader.ts'
import type { VaultEscrowRow } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'

/** Writes of an event of a vault. */
export function projectVault(read: Read, event: VaultEvent): Change[] {
  const { chainId } = event.point
  switch (event.type) {
    case 'OrderFunded':
      return projectFunded(read, event)
    case 'TrancheFired':
      return projectTranche(read, event)
    case 'OrderClosed':
      return projectClosed(read, event)
    case 'VaultCreditAdded':
      return [amendVault(read, chainId, event.args.token, { credits: event.args.amount })]
    case 'VaultCreditClaimed':
      return [amendVault(read, chainId, event.args.token, { credits: -event.args.amount })]
  }
}

/** What a tranche's end changes in its order; nothing for an intent without one. */
export function amendTranchesOrder(
  read: Read,
  intent: SourceFacts,
  event:
    | BridgeEventOf<'IntentSettled'>
    | BridgeEventOf<'IntentCancelled'>
    | BridgeEventOf<'IntentRefunded'>,
): Change[] {
  if (intent.orderId === null) return []
  const { before, after } = orderAfter(read, intent.orderId, event)
  return [updateRow('scheduledOrder', before, after)]
}

function projectFunded(read: Read, event: VaultEventOf<'OrderFunded'>): Change[] {
  const order = evolveOrder(null, event) as OrderFacts
  return [
    insertRow('scheduledOrder', order),
    amendVault(read, order.chainId, order.tokenA, { orders: order.totalAmount }),
  ]
}

/** The intent was created by the same transaction, a few logs before. */
function projectTranche(read: Read, event: VaultEventOf<'TrancheFired'>): Change[] {
  const { args, point } = event
  const { before, after } = orderAfter(read, args.orderId, event)
  const key = { sourceChainId: point.chainId, intentId: args.intentId }
  const intent = find(read, 'intent', key)
  if (!intent) throw historyIncomplete(event, 'its intent')
  return [
    updateRow('scheduledOrder', before, after),
    updateRow('intent', intent, evolveSource(intent, event, NO_TERMS) as SourceFacts),
    insertRow('tranche', {
      chainId: point.chainId,
      orderId: args.orderId,
      trancheIndex: Number(args.n),
      intentId: args.intentId,
      firedTxHash: point.transactionHash,
      firedAt: point.blockTimestamp,
      blockNumber: point.blockNumber,
    }),
    amendVault(read, point.chainId, after.tokenA, { orders: -after.amountPerPeriod }),
  ]
}

function projectClosed(read: Read, event: VaultEventOf<'OrderClosed'>): Change[] {
  const { before, after } = orderAfter(read, event.args.orderId, event)
  return [
    updateRow('scheduledOrder', before, after),
    amendVault(read, after.chainId, after.tokenA, { orders: -event.args.amount }),
  ]
}

/** The order before and after an event. */
function orderAfter(
  read: Read,
  orderId: Hex,
  event: ChainEvent,
): { before: OrderFacts; after: OrderFacts } {
  const before = find(read, 'scheduledOrder', { chainId: event.point.chainId, orderId })
  if (!before) throw historyIncomplete(event, 'its order')
  return { before, after: evolveOrder(before, event) as OrderFacts }
}

/** Books a change of what the vault owes of one token. */
function amendVault(
  read: Read,
  chainId: number,
  token: Hex,
  { orders = 0n, credits = 0n }: Partial<Pick<VaultEscrowRow, 'orders' | 'credits'>>,
): Change {
  const nothing = { orders: 0n, credits: 0n }
  return amendRow(read, 'vaultEscrow', { chainId, token }, nothing, (row) => ({
    ...row,
    orders: row.orders + orders,
    credits: row.credits + credits,
  }))
}
