import { paramsHash, paramsOfLog } from '../../../src/blob/paramsHash.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BlobContents } from '../messages.ts'
import { openBlob } from '../operations/openBlob.ts'
import type { Room } from '../room.ts'
import type { Proven, SettlementHistory } from './proveHistory.ts'

/**
 * The recipients that the chain itself holds, sealed: of the blobs that were there before the
 * winner put down its bond, the last that opens, is of this intent and names any. Null without one.
 */
export function recipientsOf(room: Room, history: SettlementHistory): BlobContents | null {
  const { created, anchored, deposited, appended } = history
  const earlier = appended.filter((one) => isBefore(one, deposited))
  const inOrder = [...earlier].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const { point, args, address: bridge } = created.event
  const expected = {
    sourceChainId: point.chainId,
    bridge,
    user: args.user,
    paramsHash: paramsHash(paramsOfLog(args, point.blockTimestamp)),
    intentId: args.intentId,
  }
  const blobs: Hex[] = [created, anchored, ...inOrder].map(({ event }) => event.args.encryptedBlob)
  for (const blob of blobs.reverse()) {
    const opened = openBlob(room, { blob, expected })
    if (opened.ok && opened.contents.recipients.length > 0) return opened.contents
  }
  return null
}

/** By what is proven: the block, the transaction's place in it, and the log's in the receipt. */
function isBefore(a: Proven, b: Proven): boolean {
  const place = ({ event, transactionIndex, logPosition }: Proven) =>
    [event.point.blockNumber, transactionIndex, logPosition] as const
  const [one, other] = [place(a), place(b)]
  const differing = one.findIndex((part, i) => part !== other[i])
  return differing >= 0 && one[differing]! < other[differing]!
}
