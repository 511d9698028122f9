import type { Hex } from 'viem'
import type { BridgeChain } from '../integration/indexer/bridgePair.ts'
import type { Dice } from './dice.ts'

/** Deeper than this below the highest head there was, and it would be final to the indexer. */
const DEEPEST = 29

/**
 * Replaces some of a chain's latest blocks, never one that an indexer may take for final.
 *
 * @param highest the highest head that the chain ever had
 * @returns what was done, in words; null if nothing could be
 */
export async function reorganise(
  { client }: BridgeChain,
  highest: number,
  chance: Dice,
): Promise<string | null> {
  const head = Number(await client.getBlockNumber({ cacheTime: 0 }))
  const most = DEEPEST - (highest - head)
  const requested = chance.pick([1, 2, 5, 12, chance.whole(1, DEEPEST), DEEPEST])
  const depth = Math.min(requested, most)
  if (depth < 1) return null
  const fate = chance.pick(['gone', 'moved', 'shorter'] as const)
  if (fate === 'gone') {
    await client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
    return `${depth} blocks gone`
  }
  const raw = await rawTransactions(client, head - depth + 1, head)
  // Only the last ones may be lost: one account's transactions need all that came before them.
  const kept = raw.slice(0, chance.whole(0, raw.length))
  await client.request({ method: 'anvil_rollback', params: [depth] } as never)
  await client.mine({ blocks: 1 })
  for (const serializedTransaction of kept) {
    if (chance.oneIn(3)) await client.mine({ blocks: 1 })
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
