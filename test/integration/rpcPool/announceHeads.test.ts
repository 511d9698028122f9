import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { type RpcProxy, serveRpcProxy } from '../../../services/chain/rpcPool/serveRpcProxy.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import {
  type FakeRpcWebSocketServer,
  startFakeRpcWebSocketServer,
} from '../../rig/fakeRpcWebSocketServer.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

type Head = { number: string; hash: string }

let anvil: RunningAnvil
let node: FaultyRpc
let ends: (() => unknown)[]

beforeEach(async () => {
  ends = []
  anvil = await startAnvil({ chainId: 84532, blockTime: 0 })
  node = await startFaultyRpc(anvil.rpc)
})

afterEach(async () => {
  for (const end of ends.reverse()) await end()
  await node.close()
  await anvil.stop()
})

/** Between polls: longer than any test. */
const NEVER_MS = 3_600_000

const mine = () => callRpc(anvil.rpc, 'anvil_mine', ['0x1'])
const real = async () =>
  (await callRpc(anvil.rpc, 'eth_getBlockByNumber', ['latest', false])) as Head

async function serve(wsUrl: string, pollMs?: number): Promise<RpcProxy> {
  const pool = createRpcPool({ chainId: 84532, rpcUrls: [node.url] })
  const proxy = await serveRpcProxy({ pool, wsUrl, pollMs })
  ends.push(() => proxy.close())
  return proxy
}

/** Subscribes as Ponder does; returns the announced heads. */
async function follow({ wsUrl }: RpcProxy): Promise<Head[]> {
  const heads: Head[] = []
  const socket = new WebSocket(wsUrl!)
  ends.push(() => socket.terminate())
  socket.on('message', (data) => {
    const { method, params } = JSON.parse(String(data))
    if (method === 'eth_subscription') heads.push(params.result)
  })
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  await expect.poll(() => heads.length).toBeGreaterThan(0)
  return heads
}

async function startSocket(): Promise<FakeRpcWebSocketServer> {
  const socket = await startFakeRpcWebSocketServer()
  ends.push(() => socket.close())
  return socket
}

test('a new block is announced as soon as the provider’s socket announces it', async () => {
  const heads = await follow(await serve(anvil.ws, NEVER_MS))
  for (let block = 0; block < 5; block++) {
    await mine()
    const { hash } = await real()
    await expect.poll(() => heads.at(-1)?.hash).toBe(hash)
  }
})

test('false heads on the provider’s socket have no effect', async () => {
  const socket = await startSocket()
  const heads = await follow(await serve(socket.url))
  await expect.poll(socket.subscribed).toBe(1)
  const head = await real()
  const before = node.calls.length
  const began = performance.now()
  for (let lie = 0; lie < 300; lie++) {
    const number = `0x${(Number(head.number) + 100_000 + lie).toString(16)}`
    socket.announce({ ...head, number, hash: `0x${String(lie).padStart(64, '0')}` })
  }
  socket.announce(null)
  socket.announce({ hash: 7 })
  await mine()
  const { hash } = await real()
  await expect.poll(() => heads.at(-1)?.hash).toBe(hash)
  expect(new Set(heads.map((announced) => announced.hash))).toEqual(new Set([head.hash, hash]))
  // The burst, regular polling and retries for announced heads.
  const seconds = (performance.now() - began) / 1_000
  expect(node.calls.length - before).toBeLessThan(30 + 30 * seconds)
})

test('while the provider’s socket is silent, the pool is polled', async () => {
  const socket = await startSocket()
  const heads = await follow(await serve(socket.url))
  await mine()
  const { hash } = await real()
  await expect.poll(() => heads.at(-1)?.hash, { timeout: 5_000 }).toBe(hash)
})

test('a closed provider socket is reopened', async () => {
  const socket = await startSocket()
  await serve(socket.url)
  await expect.poll(socket.subscribed).toBe(1)
  socket.drop()
  await expect.poll(socket.subscribed, { timeout: 5_000 }).toBe(2)
})

test('a head announced before the pool has it is polled for', async () => {
  const socket = await startSocket()
  const heads = await follow(await serve(socket.url))
  await expect.poll(socket.subscribed).toBe(1)
  const old = await real()
  await mine()
  const { hash } = await real()
  let behind = true
  node.inject(({ params }) => (behind && params[0] === 'latest' ? { result: old } : undefined))
  const before = heads.length
  socket.announce({ hash })
  await expect.poll(() => heads.length, { interval: 5 }).toBeGreaterThan(before)
  behind = false
  await expect.poll(() => heads.at(-1)?.hash, { interval: 5 }).toBe(hash)
})

test('other methods are rejected', async () => {
  const { wsUrl } = await serve(anvil.ws)
  const socket = new WebSocket(wsUrl!)
  ends.push(() => socket.terminate())
  const answer = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send('not JSON')
  expect(await answer).toContain('-32601')
})

test('a web page, which knows only the port, can’t subscribe', async () => {
  const { wsUrl } = await serve(anvil.ws)
  for (const path of ['/', '/0']) {
    const socket = new WebSocket(`ws://127.0.0.1:${new URL(wsUrl!).port}${path}`)
    ends.push(() => socket.terminate())
    const end = new Promise((resolve) => {
      socket.once('open', () => resolve('open'))
      socket.once('error', () => resolve('refused'))
    })
    expect(await end).toBe('refused')
  }
})
