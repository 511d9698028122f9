import { hexToBytes } from 'viem'
import { paramsHash, paramsOfLog } from '../../../src/blob/paramsHash.ts'
import type { BlobContents } from '../messages.ts'
import { openBlob } from '../operations/openBlob.ts'
import type { Room } from '../room.ts'
import type { Proven, SettlementHistory } from './proveHistory.ts'
import { recipientsNamed } from './recipientsNamed.ts'

/**
 * The recipients that the chain itself holds, sealed: those that the blobs name which were there before
 * the winner put down its bond. Null without any, or when one can't be read for want of its key.
 */
export async function recipientsOf(
  room: Room,
  history: SettlementHistory,
): Promise<BlobContents | null> {
  const { created, anchored, deposited, appended } = history
  const earlier = appended.filter((one) => isBefore(one, deposited))
  // The relayer may append before it anchors.
  const inOrder = [created, anchored, ...earlier].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const { point, args, address: bridge } = created.event
  const expected = {
    sourceChainId: point.chainId,
    bridge,
    user: args.user,
    paramsHash: paramsHash(paramsOfLog(args, point.blockTimestamp)),
    intentId: args.intentId,
  }
  const blobs = inOrder.map(({ event }) => ({
    event: event.type,
    blob: event.args.encryptedBlob,
  }))
  const named = await recipientsNamed(blobs, (blob) =>
    openBlob(room, { blob: hexToBytes(blob), expected }),
  )
  return named === 'KEY_MISSING' ? null : named
}

/** By what is proven: the block, the transaction's place in it, and the log's in the receipt. */
function isBefore(a: Proven, b: Proven): boolean {
  const place = ({ event, transactionIndex, logPosition }: Proven) =>
    [event.point.blockNumber, transactionIndex, logPosition] as const
  const [one, other] = [place(a), place(b)]
  const differing = one.findIndex((part, i) => part !== other[i])
  return differing >= 0 && one[differing]! < other[differing]!
}
