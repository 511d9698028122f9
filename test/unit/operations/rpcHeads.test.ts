import { afterEach, expect, test } from 'vitest'
import { type RpcHeads, watchRpcHeads } from '../../../api/rest/operations/rpcHeads.ts'
import { type Fault, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Nodes whose heads have these numbers, or that fail so; a block's time is its number and ten. */
async function watchNodes(...heads: (number | Fault)[]): Promise<RpcHeads> {
  return watchNodesAt(() => performance.now(), ...heads)
}

async function watchNodesAt(now: () => number, ...heads: (number | Fault)[]): Promise<RpcHeads> {
  const nodes = await Promise.all(
    heads.map(async (head) => {
      const node = await startFaultyRpc('http://127.0.0.1:1')
      node.inject(() => (typeof head === 'number' ? { result: blockOf(head) } : head))
      stops.push(node.close)
      return node.url
    }),
  )
  const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: nodes, startBlock: 0 }
  const bridge = `0x${'11'.repeat(20)}` as const
  const watched = watchRpcHeads([{ ...chain, bridge, confirmations: 0 }], 20, now)
  stops.push(watched.stop)
  await until(() => nodes.length === 0 || watched.of(84532).blockNumber !== null)
  return watched
}

function blockOf(number: number) {
  const [hash, hex] = [`0x${'ab'.repeat(32)}`, (value: number) => `0x${value.toString(16)}`]
  return { hash, number: hex(number), timestamp: hex(number + 10), transactions: [] }
}

test('one of three nodes can make the head neither older nor newer', async () => {
  for (const lie of [1, 900_000]) {
    const heads = await watchNodes(lie, 100, 101)
    const { blockNumber, timestamp, reachable } = heads.of(84532)
    expect([lie, [100, 101].includes(blockNumber ?? 0), reachable]).toEqual([lie, true, true])
    expect(timestamp).toBe((blockNumber ?? 0) + 10)
  }
})

test('a node that fails, or stalls after the headers, has no vote, and is named', async () => {
  for (const fault of [{ status: 500 }, { stall: true } as const]) {
    const heads = await watchNodes(fault, 100, 101)
    const head = { blockNumber: 100, timestamp: 110 }
    expect(heads.of(84532)).toEqual({ ...head, reachable: true, stalled: false })
    const names = heads.nodes().map(({ chain, node, head }) => [chain, node.slice(-2), head])
    expect(names).toEqual([
      ['base_sepolia', '#1', 0],
      ['base_sepolia', '#2', 100],
      ['base_sepolia', '#3', 101],
    ])
  }
})

test('a head that no node moves for five minutes stands still', async () => {
  let time = 0
  const heads = await watchNodesAt(() => time, 100, 100)
  expect(heads.of(84532).stalled).toBe(false)
  time = 301_000
  await until(() => heads.of(84532).stalled)
})
