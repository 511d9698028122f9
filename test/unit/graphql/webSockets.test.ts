import { afterEach, expect, test } from 'vitest'
import WebSocket from 'ws'
import { TRANSPORT_LIMITS } from '../../../api/graphql/transport/transportLimits.ts'
import { createWebSockets } from '../../../api/graphql/transport/webSockets.ts'
import { type Listening, listen } from '../../../api/http/listen.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A server of WebSockets alone, on which nothing is ever answered. */
async function serve(limits: Partial<typeof TRANSPORT_LIMITS>) {
  const sockets = createWebSockets({
    beginOperation: async () => ({
      answers: null,
      refused: { status: 400, headers: {}, errors: [] },
    }),
    clientOf: ({ headers }) => String(headers['x-client']),
    takeRead: () => null,
    limits: { ...TRANSPORT_LIMITS, ...limits },
  })
  const server: Listening = await listen(() => new Response(), '127.0.0.1', 0, {
    upgrade: sockets.upgrade,
  })
  ends.push(async () => {
    await sockets.close()
    await server.stop()
  })
  return { sockets, url: `ws://127.0.0.1:${server.port}/graphql` }
}

/** The code by which a socket is closed that says these messages. */
function closedWith(url: string, messages: object[], options: object = {}): Promise<number> {
  const socket = new WebSocket(url, 'graphql-transport-ws', options)
  socket.on('open', () => {
    for (const message of messages) socket.send(JSON.stringify(message))
  })
  return new Promise((resolve) => socket.on('close', resolve))
}

test('a client that never sends connection_init is disconnected', async () => {
  const { url } = await serve({ beginMs: 20 })
  expect(await closedWith(url, [])).toBe(4408)
})

test('a client that asks for nothing is disconnected', async () => {
  const { url } = await serve({ idleMs: 20 })
  expect(await closedWith(url, [{ type: 'connection_init' }])).toBe(1001)
})

test('a client that doesn’t answer pings is disconnected', async () => {
  const { url } = await serve({ heartbeatMs: 20 })
  const init = { type: 'connection_init' }
  expect(await closedWith(url, [init], { autoPong: false })).toBe(1006)
})

test('a client that sends without end is disconnected', async () => {
  const { url } = await serve({ messages: { perSecond: 0.01, burst: 5 } })
  const pings = Array.from({ length: 6 }, () => ({ type: 'ping' }))
  expect(await closedWith(url, pings)).toBe(1013)
})

test('when the server stops, all clients are notified', async () => {
  const { url, sockets } = await serve({})
  const socket = new WebSocket(url, 'graphql-transport-ws')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await new Promise((resolve) => socket.on('open', resolve))
  expect(sockets.size()).toBe(1)
  await sockets.close()
  expect(await closed).toBe(1001)
})

test('once all places are taken, who holds the most loses its newest to a newcomer', async () => {
  const { url, sockets } = await serve({ total: 4 })
  const open = async (client: string) => {
    const socket = new WebSocket(url, 'graphql-transport-ws', { headers: { 'x-client': client } })
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('open', resolve))
    return socket
  }
  const flood: WebSocket[] = []
  for (const client of ['one', 'one', 'other', 'other']) flood.push(await open(client))
  const lost = Promise.race(flood.map((socket) => new Promise((end) => socket.once('close', end))))
  const late = await open('late')
  expect(await lost).toBe(1006)
  expect(late.readyState).toBe(WebSocket.OPEN)
  expect(sockets.size()).toBe(4)
})
