import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createGraphiqlPage } from '../../../api/graphql/graphiql/graphiqlPage.ts'
import { type Listening, listen } from '../../../api/http/listen.ts'

let server: Listening | null = null
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server?.stop()
  server = null
})

const REQUEST = 'GET /graphql HTTP/1.1\r\nhost: cairn.test\r\naccept: text/html\r\n\r\n'

async function askAndNeverRead(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  socket.pause()
  socket.write(REQUEST)
  return socket
}

// Only Linux accepts all of 127.0.0.0/8; elsewhere the limits have unit tests alone.
const onLinux = test.skipIf(process.platform !== 'linux')

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('the server drops unread responses with their connections', async () => {
  let [begun, cut] = [0, 0]
  const body = 'x'.repeat(16 * 1024 * 1024)
  const answer = (_: Request, env: object) => {
    const { outgoing } = env as { outgoing: NodeJS.EventEmitter }
    begun += 1
    outgoing.once('close', () => {
      cut += 1
    })
    return new Response(body)
  }
  server = await listen(answer, '127.0.0.1', 0, { stalledMs: 500 })
  // On a busy machine, a connection may be dropped before its request is read; then another client tries.
  for (let asked = 1; begun < 10; asked++) {
    await askAndNeverRead(server.port)
    for (let waits = 0; begun < asked && waits < 20; waits++) await pause(50)
  }
  await expect.poll(() => cut).toBe(begun)
})

test('stalled readers of one large page share its memory', async () => {
  const page = createGraphiqlPage()
  server = await listen((request) => page.answer(request), '127.0.0.1', 0)
  await (
    await fetch(`http://127.0.0.1:${server.port}/graphql`, { headers: { accept: 'text/html' } })
  ).text()
  const memory = () => {
    const { arrayBuffers, external } = process.memoryUsage()
    return Math.max(arrayBuffers, external)
  }
  const before = memory()
  for (let i = 0; i < 60; i++) await askAndNeverRead(server.port)
  await pause(2_000)
  // 60 copies of 9 MB would take 540 MB.
  expect(memory() - before).toBeLessThan(150 * 1024 * 1024)
})

test('the server drops a reader that takes a byte now and then', async () => {
  let cut = 0
  const body = 'x'.repeat(16 * 1024 * 1024)
  const answer = (_: Request, env: object) => {
    const { outgoing } = env as { outgoing: NodeJS.EventEmitter }
    outgoing.once('close', () => {
      cut += 1
    })
    return new Response(body)
  }
  const pace = { bytesPerSecond: 2 ** 30, graceMs: 300, everyMs: 50 }
  server = await listen(answer, '127.0.0.1', 0, { pace })
  const socket = await askAndNeverRead(server.port)
  const sipping = setInterval(() => socket.read(1), 20)
  await expect.poll(() => cut).toBe(1)
  clearInterval(sipping)
})

onLinux('unread answers of one client don’t fill the memory, and cost others nothing', async () => {
  const begun: string[] = []
  const cut: string[] = []
  const body = 'x'.repeat(8 * 1024 * 1024)
  const answer = (_: Request, env: object) => {
    const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse }
    const client = incoming.socket.remoteAddress ?? ''
    begun.push(client)
    outgoing.once('close', () => cut.push(client))
    return new Response(body)
  }
  server = await listen(answer, '127.0.0.1', 0, { pace: { mostUnread: 64 * 1024 * 1024 } })
  await askAndNeverRead(server.port, '127.0.0.2')
  for (let asked = 0; asked < 30; asked++) await askAndNeverRead(server.port, '127.0.0.3')
  await expect.poll(() => begun.length).toBe(31)
  await expect.poll(() => cut.length).toBeGreaterThanOrEqual(20)
  await pause(500)
  expect(cut.length).toBeLessThan(30)
  expect(cut).not.toContain('127.0.0.2')
})

test('an idle stream stays open', async () => {
  const events = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(new TextEncoder().encode('data: 1\n\n'))
      await pause(600)
      controller.enqueue(new TextEncoder().encode('data: 2\n\n'))
      controller.close()
    },
  })
  const pace = { bytesPerSecond: 1, graceMs: 100, everyMs: 20 }
  server = await listen(() => new Response(events), '127.0.0.1', 0, { pace })
  const answer = await fetch(`http://127.0.0.1:${server.port}/`)
  expect(await answer.text()).toBe('data: 1\n\ndata: 2\n\n')
})

/** Opens a connection from one of this machine's addresses. */
function open(localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port: server?.port ?? 0, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => {})
  return socket
}

/**
 * Sends a request over it.
 * @returns whether it was answered
 */
function answer(socket: Socket): Promise<'answered' | 'closed'> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (piece) => {
      text += piece
      if (text.includes('here')) resolve('answered')
    })
    socket.on('close', () => resolve('closed'))
    if (socket.destroyed) resolve('closed')
    else socket.write('GET / HTTP/1.1\r\nhost: cairn.test\r\n\r\n')
  })
}

test('each client has a limit of silent connections, and closing one makes room', async () => {
  server = await listen(() => new Response('here'), '127.0.0.1', 0, {
    connections: { perClient: 3 },
  })
  const [first, second, third] = [open(), open(), open()]
  expect(await Promise.all([first, second, third].map(answer))).toEqual(Array(3).fill('answered'))
  expect(await answer(open())).toBe('closed')
  first.destroy()
  await expect.poll(() => answer(open())).toBe('answered')
})

onLinux(
  'many silent clients leave a newcomer its place: the client with the most connections loses its newest',
  async () => {
    server = await listen(() => new Response('here'), '127.0.0.1', 0, {
      connections: { perClient: 8, total: 24 },
    })
    const floods = ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map((from) =>
      Array.from({ length: 8 }, () => open(from)),
    )
    for (const flood of floods) expect(await Promise.all(flood.map(answer))).not.toContain('closed')
    const newcomers = [open('127.0.0.5'), open('127.0.0.5'), open('127.0.0.6')]
    expect(await Promise.all(newcomers.map(answer))).toEqual(Array(3).fill('answered'))
    await expect.poll(() => floods.flat().filter((one) => one.closed).length).toBe(3)
    const left = floods.map((flood) => flood.filter(({ closed }) => !closed).length)
    expect(left.every((count) => count >= 7)).toBe(true)
    expect(floods.map(([oldest]) => oldest?.closed)).toEqual([false, false, false])
    // Clients with the most connections gain nothing by reconnecting.
    expect(await answer(open('127.0.0.2'))).toBe('closed')
  },
)

test('connections of a trusted proxy have no limit', async () => {
  const isTrustedProxy = () => true
  server = await listen(() => new Response('here'), '127.0.0.1', 0, {
    connections: { perClient: 0, total: 0 },
    isTrustedProxy,
  })
  expect(await (await fetch(`http://127.0.0.1:${server.port}/`)).text()).toBe('here')
})
