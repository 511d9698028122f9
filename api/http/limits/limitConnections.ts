import type { Server } from 'node:http'
import { clientAddress, plainAddress, type Trusts } from './clientAddress.ts'

/** Open at once. A browser opens six, a program with a pool some dozens. */
const MOST_OF_A_CLIENT = 1_024

/**
 * Closes connections that a client opens beyond its share: requests are counted only when they arrive, so
 * a client that sends none could take all of the process's file descriptors. Trusted proxies have no
 * limit.
 */
export function limitConnections(
  server: Server,
  trusts: Trusts,
  mostOfClient: number = MOST_OF_A_CLIENT,
): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = socket.remoteAddress
    // A proxy, or somebody who has left already.
    if (address === undefined || trusts(plainAddress(address))) return
    const client = clientAddress(address, undefined, trusts)
    const others = open.get(client) ?? 0
    if (others >= mostOfClient) return void socket.destroy()
    open.set(client, others + 1)
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    })
  })
}
