import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server that accepts connections and never answers, as behind a firewall that drops packets. */
export type SilentServer = {
  port: number
  /** A database there. */
  databaseUrl: string
  /** Connections that are open now. */
  connections(): number
  stop(): Promise<void>
}

export async function startSilentServer(): Promise<SilentServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    // Reads, so that it notices the other end closing.
    socket.resume()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    databaseUrl: `postgres://nobody@127.0.0.1:${port}/nowhere`,
    connections: () => sockets.size,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
