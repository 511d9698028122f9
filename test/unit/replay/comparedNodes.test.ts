import { afterEach, expect, test } from 'vitest'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { createComparedNodes } from '../../../services/indexer/history/comparedNodes.ts'
import { type ModelNode, startModelNode } from './modelNode.ts'

const CHAIN = 84532
/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:1'

let node: ModelNode | undefined
afterEach(() => node?.stop())

test('blocks that lack a second node’s logs and senders are noted once', () => {
  const pool = createRpcPool({ chainId: CHAIN, rpcUrls: [DEAD, 'http://127.0.0.1:2'] })
  const nodes = createComparedNodes(pool)
  const [first] = pool.providers
  for (const from of [1, 17, 33]) {
    nodes.noteUnconfirmed({ from, to: from + 15 }, [first!, first!])
  }
  expect(nodes.report().unconfirmed).toEqual([{ node: '127.0.0.1:1#1', from: 1, to: 48 }])
})

test('a node that fails again and again isn’t waited for', async () => {
  node = await startModelNode(CHAIN, [], 100)
  const pool = createRpcPool({ chainId: CHAIN, rpcUrls: [DEAD, node.url] })
  const nodes = createComparedNodes(pool)
  const startedAt = performance.now()
  for (let block = 1; block <= 8; block++) expect((await nodes.header(block)).number).toBe(block)
  // The waits after its failures would be more than 30 seconds.
  expect(performance.now() - startedAt).toBeLessThan(15_000)
}, 60_000)

test('while one of two is down, a hiccup of the other is waited out', async () => {
  node = await startModelNode(CHAIN, [], 100)
  const pool = createRpcPool({ chainId: CHAIN, rpcUrls: [DEAD, node.url] })
  const nodes = createComparedNodes(pool)
  await nodes.header(1)
  node.faults.knowsUpTo = 1
  setTimeout(() => {
    node!.faults.knowsUpTo = 100
  }, 100)
  expect((await nodes.header(2)).number).toBe(2)
}, 60_000)
