import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { numberToHex, pad } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { connectChain } from '../../../tools/sweep/connectChain.ts'
import { findTokens } from '../../../tools/sweep/findTokens.ts'

const HEAD = 100_000n
const SAFE = `0x${'5a'.repeat(20)}` as const
const TOKEN = `0x${'70'.repeat(20)}` as const
const HASH = pad('0x1', { size: 32 })
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

let server: Server | undefined
afterEach(() => server?.close())

type Range = { fromBlock: string; toBlock: string }

/** A server with an empty chain but for a transfer in its last block; it refuses some ranges of logs. */
async function serve(refuses: (from: bigint, to: bigint) => boolean) {
  const ranges: [bigint, bigint][] = []
  const answer = (method: string, [range]: (Range & string)[] = []) => {
    if (method === 'eth_chainId') return { result: '0x14a34' }
    if (method === 'eth_blockNumber') return { result: numberToHex(HEAD) }
    if (method === 'eth_getBlockByNumber')
      return { result: { number: range, hash: HASH, timestamp: '0x1' } }
    const [from, to] = [BigInt(range!.fromBlock), BigInt(range!.toBlock)]
    ranges.push([from, to])
    if (refuses(from, to)) return { error: { code: -32_000, message: 'more than 10000 results' } }
    const log = {
      address: TOKEN,
      topics: [TRANSFER, pad('0x1'), pad(SAFE)],
      data: pad('0x1'),
      blockNumber: numberToHex(HEAD),
      blockHash: HASH,
      transactionHash: HASH,
      logIndex: '0x0',
    }
    return { result: to === HEAD ? [log] : [] }
  }
  server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { id, method, params } = JSON.parse(text)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) }))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
  return { chain: await connectChain(`http://127.0.0.1:${port}`, account), ranges }
}

test('after two full blocks that are read alone, the rest is read in ranges again', async () => {
  const { chain, ranges } = await serve((from, to) => from <= 500n && to >= 501n)
  expect(await findTokens(chain, [SAFE], 0n)).toEqual([TOKEN])
  expect(ranges.length).toBeLessThan(1_000)
})

test('a node that allows few blocks per request is rarely asked for more', async () => {
  const { chain, ranges } = await serve((from, to) => to - from >= 1_000n)
  expect(await findTokens(chain, [SAFE], 0n)).toEqual([TOKEN])
  expect(ranges.length).toBeLessThan(150)
})

test('a node with an impossible head is asked for no logs', async () => {
  const client = {
    getBlockNumber: async () => 2n ** 63n,
    request: () => Promise.reject(new Error()),
  }
  const chain = { host: 'a.node', client } as never
  await expect(findTokens(chain, [SAFE], 0n)).rejects.toMatchObject({
    code: 'RPC_UNREACHABLE',
    message: expect.stringContaining('claims to have'),
  })
})
