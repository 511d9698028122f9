import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createPostWebhook } from '../../../services/push/deliver/postWebhook.ts'

let server: Server | null = null
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server?.close(resolve))
  server = null
})

/** Starts a receiver that answers each connection as given. */
async function receive(answer: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Writes a text again and again, as fast as it is read. */
function repeat(socket: Socket, text: string): void {
  const piece = text.repeat(Math.ceil(65_536 / text.length))
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', write)
  write()
}

const post = createPostWebhook({ allowPrivate: true, timeoutMs: 20_000 })

test('a receiver that never stops announcing its answer is left at once', async () => {
  const url = await receive((socket) =>
    repeat(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n'),
  )
  const begun = performance.now()
  expect(await post(url, {}, '{}')).toEqual({ status: null, error: 'ANSWER_BROKE_OFF' })
  expect(performance.now() - begun).toBeLessThan(10_000)
})

test('a receiver that announces its answer once gets its delivery', async () => {
  const url = await receive((socket) =>
    socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
  )
  expect(await post(url, {}, '{}')).toEqual({ status: 204, error: null })
})

test('a receiver that wants another protocol fails at once', async () => {
  const url = await receive((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  )
  const begun = performance.now()
  expect(await post(url, {}, '{}')).toEqual({ status: 101, error: null })
  expect(performance.now() - begun).toBeLessThan(10_000)
})
