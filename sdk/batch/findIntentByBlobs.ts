import { type Address, getAbiItem, type Hex, keccak256, type PublicClient } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'

/** Blocks per request, within public nodes' limits. */
const BLOCKS = 2_000n

/**
 * The sender's intent that was created with one of these sealed recipients; null when there is none up to that block.
 *
 * @param blobs keccak256 of each
 */
export async function findIntentByBlobs(
  client: PublicClient,
  { bridge, sender, blobs }: { bridge: Address; sender: Address; blobs: readonly Hex[] },
  { fromBlock, toBlock }: { fromBlock: bigint; toBlock: bigint },
): Promise<{ intentId: bigint; createTxHash: Hex } | null> {
  const event = getAbiItem({ abi: bridgeIntentV2Abi, name: 'IntentCreated' })
  for (let from = fromBlock; from <= toBlock; from += BLOCKS) {
    const to = from + BLOCKS - 1n < toBlock ? from + BLOCKS - 1n : toBlock
    const logs = await client.getLogs({
      address: bridge,
      event,
      args: { user: sender },
      strict: true,
      fromBlock: from,
      toBlock: to,
    })
    const found = logs.find(({ args }) => blobs.includes(keccak256(args.encryptedBlob)))
    if (found !== undefined)
      return { intentId: found.args.intentId, createTxHash: found.transactionHash }
  }
  return null
}
