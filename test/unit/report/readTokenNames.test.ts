import { numberToHex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { createComparedNodes } from '../../../services/indexer/history/comparedNodes.ts'
import { readTokenNames } from '../../../tools/report/readTokenNames.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { type ModelNode, startModelNode } from '../replay/modelNode.ts'

const CHAIN = 84532
const TOKEN = `0x${'7a'.repeat(20)}` as const

let model: ModelNode
const started: FaultyRpc[] = []

afterEach(async () => {
  await Promise.all(started.splice(0).map((node) => node.close()))
  await model.stop()
})

/** The decimals in a report over nodes that say these. */
async function decimalsBy(...said: number[]) {
  model = await startModelNode(CHAIN, [], 10)
  for (const decimals of said) {
    const node = await startFaultyRpc(model.url)
    const result = numberToHex(decimals, { size: 32 })
    node.inject(({ method }) => (method === 'eth_call' ? { result } : undefined))
    started.push(node)
  }
  const rpcUrls = started.map(({ url }) => url)
  const chain = { name: 'base_sepolia', chainId: CHAIN, rpcUrls, bridge: TOKEN, startBlock: 0 }
  const nodes = createComparedNodes(createRpcPool(chain))
  const { all } = await readTokenNames([{ chain, nodes }], new Map([[CHAIN, new Set([TOKEN])]]))
  return all[0]?.decimals
}

test('a single node says a token’s decimals', async () => {
  expect(await decimalsBy(18)).toBe(18)
})

test('of three nodes, one that lies about decimals is outvoted', async () => {
  expect(await decimalsBy(18, 6, 6)).toBe(6)
})

test('decimals about which two nodes differ, as a token may cause, are unknown', async () => {
  expect(await decimalsBy(18, 6)).toBe(null)
})
