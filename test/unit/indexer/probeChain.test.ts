import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { probeChain, WrongChainError } from '../../../services/indexer/follow/probeChain.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** A node of a chain with 100 blocks, all with this hash. */
async function node(
  chainId: number,
  hash: string,
  version = 'Geth/v1',
  head = '0x64',
): Promise<string> {
  const results: Record<string, unknown> = {
    eth_chainId: `0x${chainId.toString(16)}`,
    eth_blockNumber: head,
    web3_clientVersion: version,
    eth_getBlockByNumber: { number: '0x1', hash },
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method } = JSON.parse(body)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/KEY`
}

const look = (...rpcUrls: string[]) =>
  probeChain({
    name: 'base_sepolia',
    chainId: 84532,
    rpcUrls,
    bridge: `0x${'11'.repeat(20)}`,
    startBlock: 0,
    confirmations: 1,
  })

test('an endpoint of another chain is left alone, and vouches for nothing', async () => {
  const view = await look(await node(1, '0xbad'), await node(84532, '0xa'))
  expect(view.strangers).toEqual([
    expect.stringMatching(
      /^an endpoint of base_sepolia \(127.0.0.1:\d+\) serves chain 1, not 84532$/,
    ),
  ])
  expect(view.head).toBe(100)
  expect(await view.hashesAt(1)).toEqual([null, '0xa'])
})

test('when all that answer serve another chain, it is the wrong chain', async () => {
  const dead = 'http://127.0.0.1:1'
  await expect(look(await node(1, '0xbad'), dead)).rejects.toThrow(WrongChainError)
})

test('a silent endpoint is one without an answer; a lone development node proves no development chain', async () => {
  const anvil = await node(84532, '0xa', 'anvil/v1')
  const view = await look('http://127.0.0.1:1', anvil)
  expect(await view.hashesAt(1)).toEqual([null, '0xa'])
  expect(view.isDevelopment).toBe(false)
  expect((await look(anvil)).isDevelopment).toBe(true)
})

test('an endpoint that stalls after the headers is one without an answer', async () => {
  const staller = await startFaultyRpc('http://127.0.0.1:1')
  staller.inject(() => ({ stall: true }))
  const urls = [await node(84532, '0xa'), await node(84532, '0xa'), staller.url]
  const view = await look(...urls)
  await staller.close()
  expect([view.head, view.clients.length]).toEqual([100, 2])
})

test('one node with an invented head, or one that lags, is outvoted: an index that starts waits for the head', async () => {
  const [own, other] = [await node(84532, '0xa'), await node(84532, '0xa')]
  const lying = await node(84532, '0xa', 'Geth/v1', '0xffffffffffff')
  const stuck = await node(84532, '0xa', 'Geth/v1', '0x10')
  expect((await look(lying, own, other)).head).toBe(100)
  expect((await look(lying, own)).head).toBe(100)
  expect((await look(stuck, own, other)).head).toBe(100)
  // One node that has a final block is enough to see that the chain isn't behind it.
  expect((await look(own, stuck)).highestHead).toBe(100)
})
