import type { ReceiptLog } from '../../../core/proof/receipt.ts'
import type { BridgeEventOf, Hex } from '../../../src/event/bridgeEvent.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/**
 * What the delivery behind an `IntentSolved` paid to whom, from the token's own logs: going back
 * from the event, the solver's transfers of tokenB until they add up to the event's amount. Those
 * are the bridge's own, so a payment that serves another purpose in the same transaction is not
 * counted, nor one of another delivery. Null when they don't add up: then the token's logs don't
 * tell what happened.
 *
 * @param logs of the delivery's receipt
 * @param position of the event among them
 */
export function paymentsOf(
  logs: readonly ReceiptLog[],
  position: number,
  { address: bridge, args }: Pick<BridgeEventOf<'IntentSolved'>, 'address' | 'args'>,
): ReadonlyMap<Hex, bigint> | null {
  const payments = new Map<Hex, bigint>()
  let left = args.amountB
  for (let at = position - 1; at >= 0 && left > 0n; at--) {
    const log = logs[at]!
    // The bridge itself writes nothing during a delivery: this is where an earlier one ended.
    if (log.address === bridge) break
    const transfer = log.address === args.tokenB ? readTransfer(log) : null
    if (transfer === null || transfer.from !== args.solver) continue
    left -= transfer.amount
    payments.set(transfer.to, (payments.get(transfer.to) ?? 0n) + transfer.amount)
  }
  return left === 0n ? payments : null
}

function readTransfer({ topics, data }: ReceiptLog) {
  const [signature, from, to] = topics
  const isTransfer = signature === TRANSFER && topics.length === 3 && data.length === 66
  if (!isTransfer || from === undefined || to === undefined) return null
  return { from: accountIn(from), to: accountIn(to), amount: BigInt(data) }
}

function accountIn(topic: Hex): Hex {
  return `0x${topic.slice(26)}`
}
