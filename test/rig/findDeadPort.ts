import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/**
 * A port of this machine at which nobody listens, and at which nobody else can while this process runs: a connection
 * comes from it. A port that is merely free may be given to another test's server a moment later.
 */
export async function findDeadPort(): Promise<number> {
  const server = createServer((peer) => peer.unref())
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.unref()
  return socket.localPort as number
}
