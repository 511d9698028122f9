import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Listening, listen } from '../../../api/http/listen.ts'

let server: Listening | null = null
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server?.stop()
  server = null
})

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: cairn.test\r\n\r\n`

/** Sends text over a new connection, and collects what comes back. */
async function send(
  port: number,
  text: string,
): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  let received = ''
  socket.on('data', (piece) => {
    received += piece
  })
  socket.write(text)
  return { socket, received: () => received }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('answers don’t pile up behind an event stream on the same connection', async () => {
  const begun: string[] = []
  const events = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(':\n\n')),
    })
  const answer = (request: Request) => {
    const { pathname } = new URL(request.url)
    begun.push(pathname)
    return new Response(pathname === '/events' ? events() : 'x'.repeat(1_000_000))
  }
  server = await listen(answer, '127.0.0.1', 0)
  const { received } = await send(server.port, get('/events') + get('/page').repeat(10))
  await expect.poll(received).toContain(':\n\n')
  await pause(200)
  expect(begun).toEqual(['/events'])
})

test('requests sent without waiting are answered in order, each after the one before', async () => {
  let running = 0
  let most = 0
  const answer = async (request: Request) => {
    running += 1
    most = Math.max(most, running)
    await pause(5)
    running -= 1
    return new Response(`${new URL(request.url).pathname};`)
  }
  server = await listen(answer, '127.0.0.1', 0)
  const paths = Array.from({ length: 15 }, (_, at) => `/${at}`)
  const { socket, received } = await send(server.port, paths.map(get).join(''))
  const answers = () => received().match(/\/\d+;/g) ?? []
  const expected = paths.map((path) => `${path};`)
  await expect.poll(answers).toEqual(expected)
  // What was answered no longer counts against the connection.
  socket.write(paths.map(get).join(''))
  await expect.poll(answers).toEqual([...expected, ...expected])
  expect(most).toBe(1)
})

test('a connection with too many waiting requests is cut', async () => {
  const closed = Promise.withResolvers<void>()
  let begun = 0
  const answer = () => {
    begun += 1
    return new Promise<Response>(() => {})
  }
  server = await listen(answer, '127.0.0.1', 0)
  const { socket } = await send(server.port, get('/').repeat(18))
  socket.once('close', closed.resolve)
  await closed.promise
  expect(begun).toBe(1)
})

test('requests of a client that left aren’t begun', async () => {
  const first = Promise.withResolvers<Response>()
  const left = Promise.withResolvers<void>()
  let begun = 0
  const answer = (_: Request, env: object) => {
    begun += 1
    const { incoming } = env as { incoming: IncomingMessage }
    incoming.socket.once('close', left.resolve)
    return first.promise
  }
  server = await listen(answer, '127.0.0.1', 0)
  const { socket } = await send(server.port, get('/').repeat(3))
  await expect.poll(() => begun).toBe(1)
  socket.destroy()
  await left.promise
  first.resolve(new Response('late'))
  await pause(50)
  expect(begun).toBe(1)
})
