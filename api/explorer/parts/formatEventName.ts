/** Short names, as a timeline has room for. Other events are named after their type. */
const EVENT_NAMES: Record<string, string> = {
  IntentCreated: 'Created',
  IntentAnchored: 'Anchored',
  BlobAppended: 'Data added',
  BidPlaced: 'Bid',
  SolverDeposited: 'Deposit',
  RecipientsAsked: 'Asked',
  RecipientsRevealed: 'Revealed',
  IntentSolved: 'Delivered',
  DeliveryCredited: 'Credited',
  DeliveryClaimed: 'Credit claimed',
  BidForfeited: 'Bid forfeited',
  IntentSettled: 'Settled',
  IntentCancelled: 'Cancelled',
  IntentRefunded: 'Refunded',
  AuctionExpired: 'Expired',
  DeliveryOverdue: 'Overdue',
}

/** An event's name for people: `SolverDeposited` is “Deposit”. */
export function formatEventName(type: string): string {
  const words = type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return EVENT_NAMES[type] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * The same for a timeline's step. A timeline has only the first of an intent's bids, and a delivery that doesn't count
 * only if the intent failed for it.
 */
export function formatStepName(type: string, substatus: string): string {
  if (type === 'BidPlaced') return 'First bid'
  if (type === 'IntentSolved' && substatus === 'delivery_invalid') return 'Invalid delivery'
  return formatEventName(type)
}
