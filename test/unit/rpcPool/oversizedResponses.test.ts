import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { numberToHex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { RpcPoolEvent } from '../../../services/chain/rpcPool/rpcPoolEvent.ts'

const CHAIN_ID = 84_532
const MB = 1024 * 1024
const PART = ' '.repeat(MB)

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A node whose answers to `endless` methods never end; counts the bytes sent. */
async function startNode(endless: readonly string[] = []) {
  const node = { url: '', sent: 0, methods: [] as string[] }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { id, method } = JSON.parse(text)
    node.methods.push(method)
    response.setHeader('content-type', 'application/json')
    if (!endless.includes(method)) {
      const result = method === 'eth_chainId' ? numberToHex(CHAIN_ID) : '0x2a'
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      return
    }
    const writeMore = () => {
      if (response.destroyed) return
      response.write(PART, (error) => {
        if (error) return
        node.sent += PART.length
        setImmediate(writeMore)
      })
    }
    writeMore()
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return node
}

/** Bytes that fit into socket buffers beyond what the reader consumed. */
const BUFFERED = 16 * MB

function openPool(nodes: { url: string }[], mostBytes?: number) {
  const failed: string[] = []
  const rpcUrls = nodes.map(({ url }) => url)
  const observe = (event: RpcPoolEvent) => {
    if (event.type === 'provider-failed') failed.push(event.provider)
  }
  return { ...createRpcPool({ chainId: CHAIN_ID, rpcUrls, observe, mostBytes }), failed }
}

test.each([
  ['eth_chainId', 4],
  ['eth_blockNumber', 4],
  ['eth_call', 64],
])('after an endless answer to %s, the pool fails over', async (method, most) => {
  const [liar, honest] = [await startNode([method]), await startNode()]
  const { request, providers, failed } = openPool([liar, honest])
  const requested = method === 'eth_chainId' ? 'eth_blockNumber' : method
  expect(await request(requested, [])).toBe('0x2a')
  expect(liar.methods.at(-1)).toBe(method)
  expect(liar.sent).toBeGreaterThan(0)
  expect(liar.sent).toBeLessThan(most * MB + BUFFERED)
  expect(failed, 'it backs off').toEqual([providers[0]!.name])
})

test('oversized logs from every provider are reported at once, so the caller can request fewer', async () => {
  const [liar, gone] = [await startNode(['eth_getLogs']), await startNode()]
  const silent = servers.pop()!
  await new Promise((resolve) => silent.close(resolve))
  const result = openPool([liar, gone], 8 * MB).request('eth_getLogs', [{}])
  await expect(result).rejects.toMatchObject({ failure: 'oversized' })
  expect(liar.methods).toEqual(['eth_chainId', 'eth_getLogs'])
  expect(liar.sent).toBeLessThan(8 * MB + BUFFERED)
})
