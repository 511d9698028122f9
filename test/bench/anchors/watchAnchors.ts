import { setTimeout as pause } from 'node:timers/promises'
import { getAbiItem } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { BridgeChain } from '../../integration/indexer/bridgePair.ts'

/** Milliseconds on the monotonic clock at which blocks with intents' creations and anchors were seen. */
export type AnchorWatch = {
  createdAt: Map<bigint, number>
  anchoredAt: Map<bigint, number>
  stop(): Promise<void>
}

const EVERY_MS = 20
const EVENTS = [
  getAbiItem({ abi: bridgeIntentV2Abi, name: 'IntentCreated' }),
  getAbiItem({ abi: bridgeIntentV2Abi, name: 'IntentAnchored' }),
]

/** Polls the node directly every 20 ms for new blocks and their contents. */
export async function watchAnchors({ client, contracts }: BridgeChain): Promise<AnchorWatch> {
  const watch = { createdAt: new Map<bigint, number>(), anchoredAt: new Map<bigint, number>() }
  let isOver = false
  let seen = await client.getBlockNumber({ cacheTime: 0 })
  const watching = (async () => {
    while (!isOver) {
      await pause(EVERY_MS)
      const head = await client.getBlockNumber({ cacheTime: 0 })
      if (head === seen) continue
      const now = performance.now()
      const logs = await client.getLogs({
        address: contracts.bridge,
        events: EVENTS,
        fromBlock: seen + 1n,
        toBlock: head,
      })
      for (const { eventName, topics } of logs) {
        const times = eventName === 'IntentCreated' ? watch.createdAt : watch.anchoredAt
        times.set(BigInt(topics[1] ?? 0), now)
      }
      seen = head
    }
  })()
  return {
    ...watch,
    stop: async () => {
      isOver = true
      await watching
    },
  }
}
