import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Bytes before a start-up message's parameters: its length and the protocol's version. */
const HEADER_BYTES = 8

/** A proxy to a local PostgreSQL that drops the start-up parameter `options`, as PgBouncer does where it is told to. */
export async function startPooler(to: number) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    near.once('data', (first) => {
      far.write(withoutOptions(first))
      near.pipe(far)
    })
    far.pipe(near)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function withoutOptions(message: Buffer): Buffer {
  const words = message.subarray(HEADER_BYTES).toString().split('\0')
  const at = words.indexOf('options')
  if (at !== -1) words.splice(at, 2)
  const kept = Buffer.concat([message.subarray(0, HEADER_BYTES), Buffer.from(words.join('\0'))])
  kept.writeInt32BE(kept.length)
  return kept
}
