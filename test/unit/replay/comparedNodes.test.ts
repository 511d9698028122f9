import { afterEach, expect, test } from 'vitest'
import { NodesDisagreeError } from '../../../services/chain/history/historyErrors.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { createComparedNodes } from '../../../services/indexer/history/comparedNodes.ts'
import { type ModelNode, startModelNode } from './modelNode.ts'

const CHAIN = 84532
/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:1'

let node: ModelNode | undefined
const others: ModelNode[] = []
afterEach(() => Promise.all([node, ...others.splice(0)].map((one) => one?.stop())))

/** A node that shows a fork. */
async function startLiar(): Promise<ModelNode> {
  const liar = await startModelNode(CHAIN, [], 100)
  liar.faults.replacedFrom = 1
  others.push(liar)
  return liar
}

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
})

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
})

test('a node that waits for its configured rate limit is asked all the same', async () => {
  node = await startModelNode(CHAIN, [], 100)
  const rpcUrls = [node.url, (await startLiar()).url]
  const requestsPerSecond = { [node.url]: 20 }
  const pool = createRpcPool({ chainId: CHAIN, rpcUrls, requestsPerSecond })
  const nodes = createComparedNodes(pool)
  const [limited, liar] = pool.providers
  const many = Array.from({ length: 150 }, () => ({ method: 'eth_chainId', params: [] }))
  await pool.send(many, { exclude: new Set([liar!]) })
  expect(limited!.readyIn(1)).toBeGreaterThan(5_000)
  await expect(nodes.header(2)).rejects.toThrow(NodesDisagreeError)
})

test('a block that one of two gives alone, while the other is down, is reported', async () => {
  const liar = await startLiar()
  const pool = createRpcPool({ chainId: CHAIN, rpcUrls: [DEAD, liar.url] })
  const nodes = createComparedNodes(pool)
  for (const block of [9, 9, 10, 3]) await nodes.header(block)
  const head = await nodes.head()
  const name = pool.providers[1]!.name
  expect(nodes.report().unconfirmed).toEqual([
    { node: name, from: 9, to: 10 },
    { node: name, from: 3, to: 3 },
    { node: name, from: head.number, to: head.number },
  ])
  pool.providers[1]!.setQuarantine('logs', 'proven wrong')
  expect(nodes.isDiscredited()).toBe(true)
})
