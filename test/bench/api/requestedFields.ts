/** Requested fields of each GraphQL server: our name, the others' name, kind of value. */
export const FIELDS: readonly [ours: string, peers: string, kind: 'text' | 'address' | 'time'][] = [
  ['intentId', 'intentId', 'text'],
  ['sourceChainId', 'sourceChainId', 'text'],
  ['destChainId', 'destChainId', 'text'],
  ['sender', 'sender', 'address'],
  ['tokenA', 'tokenA', 'address'],
  ['tokenB', 'tokenB', 'address'],
  ['amountA', 'amountA', 'text'],
  ['expectedAmountB', 'expectedAmountB', 'text'],
  ['reward', 'reward', 'text'],
  ['endTime', 'endTime', 'time'],
  ['createTxHash', 'createTxHash', 'text'],
  ['createdAt', 'createdAt', 'time'],
  ['createdBlock', 'createdBlock', 'text'],
  ['feeBps', 'feeBps', 'text'],
  ['anchorTxHash', 'anchorTxHash', 'text'],
  ['bidCount', 'bidCount', 'text'],
  ['bestBid', 'bestBid', 'text'],
  ['bestBidder', 'bestBidder', 'address'],
  ['solverAddress', 'solver', 'address'],
  ['winningAmountB', 'winningAmountB', 'text'],
  ['depositTxHash', 'depositTxHash', 'text'],
  ['settleTxHash', 'settleTxHash', 'text'],
  ['settledAt', 'settledAt', 'time'],
  ['payout', 'payout', 'text'],
  ['fee', 'fee', 'text'],
]

/** A server's record in a common form, so that answers can be compared. */
export function toComparable(record: Record<string, unknown>, side: 'ours' | 'peers'): string {
  const values = FIELDS.map(([ours, peers, kind]) => {
    const value = record[side === 'ours' ? ours : peers]
    if (value === null || value === undefined) return null
    if (kind === 'address') return String(value).toLowerCase()
    const isMoment = kind === 'time' && side === 'ours'
    return isMoment ? String(Date.parse(String(value)) / 1_000) : String(value)
  })
  return JSON.stringify(values)
}
