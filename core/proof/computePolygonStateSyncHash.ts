import { concatBytes, hexToBytes, keccak256, numberToBytes, stringToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/**
 * The transaction hash under which Polygon's servers report a block's state syncs, before the fork (PIP-74) that
 * included them in the block: such a receipt is listed last and isn't in the trie.
 */
export function computePolygonStateSyncHash(blockNumber: number, blockHash: Hex): Hex {
  return keccak256(
    concatBytes([
      stringToBytes('matic-bor-receipt-'),
      numberToBytes(blockNumber, { size: 8 }),
      hexToBytes(blockHash),
    ]),
  )
}
