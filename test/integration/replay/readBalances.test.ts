import { type Address, concat, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createDevnetClient } from '../../../devnet/devnetClient.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { createComparedNodes } from '../../../services/indexer/history/comparedNodes.ts'
import { readBalances } from '../../../tools/replay/checkBalances.ts'

const CHAIN = 84532

let node: RunningAnvil

beforeAll(async () => {
  node = await startAnvil({ chainId: CHAIN, blockTime: 0 })
})
afterAll(() => node?.stop())

test('a token that reverts, is gone or answers at length doesn’t keep the others from being read', async () => {
  const client = createDevnetClient({ name: 'base_sepolia', chainId: CHAIN, rpc: node.rpc })
  const answers = (number: Hex, bytes: Hex) => concat(['0x60', number, '0x5f5260', bytes, '0x5ff3'])
  const codes: Hex[] = [answers('0x05', '0x20'), '0x5f5ffd', '0x', answers('0x07', '0x60')]
  const tokens = codes.map((_, at): Address => `0x${(0xa000 + at).toString(16).padStart(40, '0')}`)
  for (const [at, bytecode] of codes.entries())
    await client.setCode({ address: tokens[at]!, bytecode })
  await client.mine({ blocks: 1 })
  const nodes = createComparedNodes(createRpcPool({ chainId: CHAIN, rpcUrls: [node.rpc] }))
  const holder = { name: 'the bridge', address: `0x${'b1'.repeat(20)}` } as const
  expect(await readBalances(nodes, holder, tokens, 1)).toEqual([5n, 0n, 0n, 7n])
})
