import { type Address, getAbiItem, type Hex, keccak256 } from 'viem'
import { bridgeIntentV2Abi } from '../../core/abi/sdkBridgeIntentV2.ts'
import type { ChainClient } from '../client/clientOptions.ts'
import { type BlockRange, readInRanges } from '../client/readInRanges.ts'

const event = getAbiItem({ abi: bridgeIntentV2Abi, name: 'IntentCreated' })

/**
 * The sender's intent that was created with one of these sealed recipients; null when there is none in those blocks.
 *
 * @param blobs keccak256 of each
 */
export async function findIntentByBlobs(
  client: ChainClient,
  { bridge, sender, blobs }: { bridge: Address; sender: Address; blobs: readonly Hex[] },
  range: BlockRange,
): Promise<{ intentId: bigint; createTxHash: Hex } | null> {
  const of = { address: bridge, event, args: { user: sender }, strict: true } as const
  for await (const logs of readInRanges(range, (part) => client.getLogs({ ...of, ...part }))) {
    const found = logs.find(({ args }) => blobs.includes(keccak256(args.encryptedBlob)))
    if (found !== undefined)
      return { intentId: found.args.intentId, createTxHash: found.transactionHash }
  }
  return null
}
