import type { Hex } from 'viem'
import type { BridgeChain } from '../integration/indexer/bridgePair.ts'
import type { SeededRandom } from '../rig/seededRandom.ts'

/** A block deeper than this below the highest head ever seen is final to the indexer. */
const DEEPEST = 29

/**
 * Replaces some of a chain's latest blocks, never one the indexer may consider final.
 *
 * @param highest the chain's highest head so far
 * @returns a description; null if no block can be replaced
 */
export async function reorganise(
  { client }: BridgeChain,
  highest: number,
  random: SeededRandom,
): Promise<string | null> {
  const head = Number(await client.getBlockNumber({ cacheTime: 0 }))
  const most = DEEPEST - (highest - head)
  const requested = random.pick([1, 2, 5, 12, random.whole(1, DEEPEST), DEEPEST])
  const depth = Math.min(requested, most)
  if (depth < 1) return null
  const fate = random.pick(['gone', 'moved', 'shorter'] as const)
  if (fate === 'gone') {
    await client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
    return `${depth} blocks gone`
  }
  const raw = await rawTransactions(client, head - depth + 1, head)
  // Drop only trailing transactions: an account's nonces have to stay consecutive.
  const kept = raw.slice(0, random.whole(0, raw.length))
  await client.request({ method: 'anvil_rollback', params: [depth] } as never)
  await client.mine({ blocks: 1 })
  for (const serializedTransaction of kept) {
    if (random.oneIn(3)) await client.mine({ blocks: 1 })
    await client.sendRawTransaction({ serializedTransaction })
  }
  const now = Number(await client.getBlockNumber({ cacheTime: 0 }))
  if (fate === 'moved' && now <= head) await client.mine({ blocks: head - now + 1 })
  return `${depth} blocks ${fate === 'moved' ? 'replaced' : 'shorter'}, ${kept.length} of ${raw.length} transactions again`
}

async function rawTransactions(
  client: BridgeChain['client'],
  from: number,
  to: number,
): Promise<Hex[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, at) => BigInt(from + at))
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })))
  const hashes = blocks.flatMap(({ transactions }) => transactions)
  return Promise.all(
    hashes.map((hash) =>
      client.request({ method: 'eth_getRawTransactionByHash', params: [hash] } as never),
    ),
  ) as Promise<Hex[]>
}
