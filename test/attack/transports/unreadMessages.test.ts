import { afterEach, expect, test } from 'vitest'
import WebSocket from 'ws'
import type { BeginOperation } from '../../../api/graphql/transport/beginOperation.ts'
import { createEventStreams } from '../../../api/graphql/transport/eventStreams.ts'
import { TRANSPORT_LIMITS } from '../../../api/graphql/transport/transportLimits.ts'
import { createWebSockets } from '../../../api/graphql/transport/webSockets.ts'
import { listen } from '../../../api/http/listen.ts'
import { until } from '../../rig/until.ts'

const MEGABYTE = 2 ** 20

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Operations with one answer of a megabyte each, and the number of answers made. */
function largeAnswers() {
  let made = 0
  const beginOperation: BeginOperation = async () => {
    made += 1
    return { answers: only({ data: { text: 'x'.repeat(MEGABYTE) } }), refused: null }
  }
  return { beginOperation, made: () => made }
}

async function* only(answer: { data: { text: string } }) {
  yield answer
}

async function serve(beginOperation: BeginOperation) {
  const sockets = createWebSockets({
    beginOperation,
    clientOf: () => 'a client',
    takeRead: () => null,
    // A client that sends pongs is alive, whether or not it reads.
    limits: { ...TRANSPORT_LIMITS, messages: { perSecond: 1e6, burst: 1e6 }, heartbeatMs: 600_000 },
  })
  const server = await listen(() => new Response(), '127.0.0.1', 0, { upgrade: sockets.upgrade })
  ends.push(() => server.stop())
  ends.push(() => sockets.close())
  return { sockets, port: server.port }
}

/** A client that sends and never reads. */
async function deafSocket(port: number): Promise<(message: object) => void> {
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws')
  await new Promise((resolve) => webSocket.on('open', resolve))
  ends.push(() => webSocket.terminate())
  webSocket.on('error', () => {})
  const say = (message: object) => webSocket.send(JSON.stringify(message))
  say({ type: 'connection_init' })
  await new Promise((resolve) => webSocket.once('message', resolve))
  webSocket.pause()
  return say
}

test('answers to completed operations don’t pile up for a socket that reads nothing', async () => {
  const { beginOperation, made } = largeAnswers()
  const { sockets, port } = await serve(beginOperation)
  const say = await deafSocket(port)
  for (let id = 1; id <= 64 && sockets.size() > 0; id++) {
    say({ type: 'subscribe', id: String(id), payload: { query: '{ a }' } })
    await until(() => made() === id || sockets.size() === 0, 'an answer', { interval: 1 })
    say({ type: 'complete', id: String(id) })
  }
  await until(() => sockets.size() === 0)
  expect(made()).toBeLessThan(64)
})

test('pongs don’t pile up for a socket that reads nothing', async () => {
  const { sockets, port } = await serve(largeAnswers().beginOperation)
  const say = await deafSocket(port)
  expect(sockets.size()).toBe(1)
  const text = 'x'.repeat(60_000)
  for (let count = 0; count < 1_000; count++) say({ type: 'ping', payload: { text } })
  await until(() => sockets.size() === 0)
})

test('answers don’t pile up for a stream that nobody reads', async () => {
  const { beginOperation, made } = largeAnswers()
  const streams = createEventStreams(beginOperation)
  ends.push(() => streams.close())
  const token = streams.reserve('a client')
  for (let id = 1; id <= 64 && streams.size() > 0; id++) {
    const operation = { query: '{ a }', extensions: { operationId: String(id) } }
    await streams.run(token, operation, 'a client')
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(streams.size()).toBe(0)
  expect(made()).toBeLessThan(20)
})

test('one large answer doesn’t end a stream', async () => {
  const { beginOperation } = largeAnswers()
  const streams = createEventStreams(beginOperation, { ...TRANSPORT_LIMITS, unreadBytes: 1 })
  ends.push(() => streams.close())
  const token = streams.reserve('a client')
  const texts = streams.open(token, new AbortController().signal)
  await texts.next()
  await streams.run(token, { query: '', extensions: { operationId: 'a' } }, 'a client')
  expect((await texts.next()).value).toHaveLength(MEGABYTE + 61)
})
