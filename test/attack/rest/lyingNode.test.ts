import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readFromNodes } from '../../../api/http/tokens/tokenMetadataReader.ts'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createBlockReader } from '../../../services/chain/blockReader.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import { type Fault, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'

const chainId = 84532
const TOKEN = `0x${'70'.repeat(20)}` as const
const DEAD = 'http://127.0.0.1:9'

let anvil: RunningAnvil
beforeAll(async () => {
  anvil = await startAnvil({ chainId, blockTime: 0 })
  // Answers every call with 6, its decimals.
  await callRpc(anvil.rpc, 'anvil_setCode', [TOKEN, '0x60065f5260205ff3'])
  await callRpc(anvil.rpc, 'anvil_mine', ['0x5'])
})
afterAll(() => anvil?.stop())

async function node(fault?: (call: RpcCall) => Fault | undefined): Promise<string> {
  const proxy = await startFaultyRpc(anvil.rpc)
  onTestFinished(() => proxy.close())
  proxy.inject(fault)
  return proxy.url
}

/** The chain as these nodes show it. */
function shownBy(...rpcUrls: string[]) {
  const bridge = `0x${'b1'.repeat(20)}` as const
  return [{ name: 'base_sepolia', chainId, rpcUrls, bridge, startBlock: 0, confirmations: 1 }]
}

describe('a block that a list of the past ends with', () => {
  const read = (...rpcUrls: string[]) => createBlockReader(shownBy(...rpcUrls))(chainId, 3)
  const early = ({ method }: RpcCall): Fault | undefined =>
    method === 'eth_getBlockByNumber'
      ? { change: (block) => ({ ...(block as object), timestamp: '0x1' }) }
      : undefined

  test('has the time that most nodes give, whichever is listed first', async () => {
    const truth = await read(anvil.rpc)
    expect(truth?.timestamp).toBeGreaterThan(1n)
    const [liar, one, two] = [await node(early), await node(), await node()]
    expect(await read(liar, one, two)).toMatchObject({ timestamp: truth?.timestamp })
    expect(await read(liar, one)).toBeNull()
    expect(await read(DEAD, one)).toMatchObject({ timestamp: truth?.timestamp })
  })
})

describe('a token’s metadata, which is stored for good,', () => {
  const read = (...rpcUrls: string[]) =>
    readFromNodes(shownBy(...rpcUrls))({ chainId, address: TOKEN })
  const eighteen = ({ method }: RpcCall): Fault | undefined =>
    method === 'eth_call' ? { result: `0x${'12'.padStart(64, '0')}` } : undefined

  test('is what most nodes give', async () => {
    const [liar, one, two] = [await node(eighteen), await node(), await node()]
    expect(await read(liar, one, two)).toMatchObject({ decimals: 6 })
    await expect(read(liar, one)).rejects.toThrow('don’t agree')
  })

  test('isn’t one node’s word while the others are down', async () => {
    const liar = await node(eighteen)
    await expect(read(liar, DEAD, DEAD)).rejects.toThrow('don’t agree')
    expect(await read(anvil.rpc)).toMatchObject({ decimals: 6 })
  })
})
