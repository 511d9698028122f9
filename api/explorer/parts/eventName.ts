const EVENT_WORDS: Record<string, string> = {
  IntentCreated: 'Created',
  IntentAnchored: 'Anchored',
  BlobAppended: 'Recipients added',
  BidPlaced: 'First bid',
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
export function eventName(type: string): string {
  const words = type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return EVENT_WORDS[type] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
