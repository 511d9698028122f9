import type { EventProof } from '../../../core/proof/proofDocument.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { bridgeLog, INTENT, proveGiven, SOURCE } from './givenProof.ts'

/** Two blobs appended in two blocks, the second one's parent being `parentHash`, or the first block. */
export async function givenNeighbours(parentHash?: Hex): Promise<EventProof[]> {
  const append = (blob: Hex, blockNumber: number, parent?: Hex) =>
    proveGiven({
      chainId: SOURCE,
      blockNumber,
      timestamp: 1_700_000_100 + blockNumber,
      type: 'BlobAppended',
      log: bridgeLog('BlobAppended', { intentId: INTENT, kind: 3, encryptedBlob: blob }),
      ...(parent && { parentHash: parent }),
    })
  const first = await append('0x01', 20)
  return [first, await append('0x02', 21, parentHash ?? first.blockHash)]
}
