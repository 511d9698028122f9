import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseOptions } from '../../../tools/replay/parseOptions.ts'
import { replay } from '../../../tools/replay/replay.ts'
import { isSound } from '../../../tools/replay/replayReport.ts'
import { anyWorld, CHAIN_A } from '../projection/model/randomHistory.ts'
import { startModelNode } from './modelNode.ts'

test('a reorg during the replay is explained, and the chain restarts', async () => {
  const { a: history } = fc.sample(anyWorld(200), { seed: 78, numRuns: 1 })[0]!
  const head = history.blockNumber + 10
  const node = await startModelNode(CHAIN_A, history.events, head)
  node.faults.beforeLogs = () => {
    node.faults.replacedFrom = head - 5
  }
  const explained: string[] = []
  const chain = {
    name: 'base_sepolia',
    chainId: CHAIN_A,
    rpcUrls: [node.url],
    bridge: history.bridge,
    vault: history.vault,
    startBlock: 90,
  }
  try {
    const [report] = await replay({ chains: [chain], databaseUrl: null }, parseOptions([]), {
      progress: { show: () => {}, end: () => {} },
      explain: (line) => explained.push(line),
    })
    expect(explained).toEqual([
      `block ${head} of base_sepolia was replaced during the replay: probably a reorg. Starting base_sepolia again.`,
    ])
    expect(report).toMatchObject({ events: history.events.length, block: { number: head } })
    expect(report && isSound(report)).toBe(true)
  } finally {
    await node.stop()
  }
})
