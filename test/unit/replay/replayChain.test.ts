import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  ChangedDuringReadError,
  UnusableAnswerError,
} from '../../../services/chain/history/historyErrors.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { createComparedNodes } from '../../../services/indexer/history/comparedNodes.ts'
import { TABLE_NAMES } from '../../../src/table/tableShapes.ts'
import { ToolError } from '../../../tools/commandLine.ts'
import type { Progress, Step } from '../../../tools/progressBar.ts'
import { extendReplay, replayChain } from '../../../tools/replay/replayChain.ts'
import type { ModelChain } from '../projection/model/chainModel.ts'
import { foldRows } from '../projection/model/foldRows.ts'
import { anyWorld, CHAIN_A } from '../projection/model/randomHistory.ts'
import { type ModelNode, startModelNode } from './modelNode.ts'

const SILENT: Progress = { show: () => {}, end: () => {} }
const history = fc.sample(anyWorld(600), { seed: 77, numRuns: 1 })[0]!.a
const HEAD = history.blockNumber + 10

const started: ModelNode[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((node) => node.stop()))
})

describe('replayChain', () => {
  test('gives the history’s rows, whatever block range the node allows', async () => {
    for (const widest of [1_000_000, 500, 20]) {
      const { node, chain, nodes } = await serve(history)
      node.faults.widest = widest
      const replay = await replayChain(chain, nodes, null, SILENT)
      expect(replay.block.number).toBe(HEAD)
      expect(replay.events).toBe(history.events.length)
      expectRows(replay.store, history)
      expect(node.widths.at(-1)! <= widest).toBe(true)
    }
  })

  test('reads each block once', async () => {
    const { node, chain, nodes } = await serve(history)
    node.faults.widest = 50
    const asked: [number, number][] = []
    node.faults.beforeLogs = (from, to) => asked.push([from, to])
    await replayChain(chain, nodes, null, SILENT)
    // Ranges are asked for concurrently.
    asked.sort(([a], [b]) => a - b)
    expect(asked[0]?.[0]).toBe(chain.startBlock)
    expect(asked.at(-1)?.[1]).toBe(HEAD)
    for (const [position, [from]] of asked.entries()) {
      if (position > 0) expect(from).toBe(asked[position - 1]![1] + 1)
    }
  })

  test('stops at a block, and continues to a later one', async () => {
    const { chain, nodes } = await serve(history)
    const middle = history.events[Math.floor(history.events.length / 2)]!.point.blockNumber
    const replay = await replayChain(chain, nodes, middle, SILENT)
    const until = history.events.filter(({ point }) => point.blockNumber <= middle)
    expect(replay.events).toBe(until.length)
    expectRows(replay.store, { ...history, events: until })
    await extendReplay(replay, HEAD, SILENT)
    expectRows(replay.store, history)
    await extendReplay(replay, HEAD, SILENT)
    expect(replay.events).toBe(history.events.length)
  })

  test('reports progress to the end', async () => {
    const { node, chain, nodes } = await serve(history)
    node.faults.widest = 100
    const steps: Step[] = []
    await replayChain(chain, nodes, null, { show: (step) => steps.push(step), end: () => {} })
    expect(steps.length).toBeGreaterThan(3)
    expect(steps.at(-1)).toMatchObject({ at: HEAD, to: HEAD, events: history.events.length })
    expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted((a, b) => a - b))
  })

  test('a reorg below the head during the replay is noticed', async () => {
    const { node, chain, nodes } = await serve(history)
    node.faults.widest = 100
    node.faults.beforeLogs = (_, to) => {
      if (to > HEAD - 50) node.faults.replacedFrom = HEAD - 20
    }
    await expect(replayChain(chain, nodes, null, SILENT)).rejects.toThrow(ChangedDuringReadError)
  })

  test('a reorg that only one of two nodes has seen is noticed', async () => {
    const other = await startModelNode(CHAIN_A, history.events, HEAD)
    started.push(other)
    const { chain, nodes } = await serve(history, [other.url])
    other.faults.beforeLogs = () => {
      other.faults.replacedFrom = HEAD - 20
    }
    await expect(replayChain(chain, nodes, null, SILENT)).rejects.toThrow(ChangedDuringReadError)
  })

  test('a reorg between the replay and its extension is noticed', async () => {
    const { node, chain, nodes } = await serve(history)
    const replay = await replayChain(chain, nodes, HEAD - 20, SILENT)
    node.faults.replacedFrom = HEAD - 30
    await expect(extendReplay(replay, HEAD, SILENT)).rejects.toThrow(ChangedDuringReadError)
  })

  test('a lagging node omits logs: another one is asked', async () => {
    const lagging = await startModelNode(CHAIN_A, history.events, HEAD)
    started.push(lagging)
    const { chain, nodes } = await serve(history, [lagging.url])
    lagging.faults.beforeLogs = () => {
      lagging.faults.knowsUpTo = 150
    }
    const replay = await replayChain(chain, nodes, null, SILENT)
    expect(lagging.widths.length).toBeGreaterThan(0)
    expectRows(replay.store, history)
  })

  test('a node that refuses the logs of a single block is reported as unusable', async () => {
    const { node, chain, nodes } = await serve(history)
    node.faults.widest = 0
    await expect(replayChain(chain, nodes, 95, SILENT)).rejects.toThrow(UnusableAnswerError)
    expect(node.widths.at(-1)).toBe(1)
  })

  test('a block beyond the head is refused', async () => {
    const { chain, nodes } = await serve(history)
    await expect(replayChain(chain, nodes, HEAD + 1, SILENT)).rejects.toThrow(ToolError)
  })
})

async function serve({ bridge, vault, events }: ModelChain, firstUrls: string[] = []) {
  const node = await startModelNode(CHAIN_A, events, HEAD)
  started.push(node)
  const rpcUrls = [...firstUrls, node.url]
  const chain = { name: 'base_sepolia', chainId: CHAIN_A, rpcUrls, bridge, vault, startBlock: 90 }
  return { node, chain, nodes: createComparedNodes(createRpcPool(chain)) }
}

function expectRows(
  store: Awaited<ReturnType<typeof replayChain>>['store'],
  { events }: Pick<ModelChain, 'events'>,
) {
  const expected = foldRows(events)
  for (const table of TABLE_NAMES) {
    expect([table, store.rows(table)]).toStrictEqual([table, expected.rows(table)])
  }
}
