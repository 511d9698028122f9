import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientAddress, plainAddress, type Trusts, writerOf } from './clientAddress.ts'
import { connectionsThatFit } from './connectionsThatFit.ts'
import { createFairPlaces } from './fairPlaces.ts'

/** Connections open at once, for one client and for all. */
export type ConnectionLimits = { perClient: number; total: number }

/** For one client: a browser opens six, a program with a pool some dozens. */
const MOST_OF_A_CLIENT = 1_024

/**
 * Closes connections that a client opens beyond its share: requests are counted only when they arrive, so
 * clients that send none could take all of the process's file descriptors. Once all places are taken, the client
 * with the most loses its newest to one that holds fewer. Trusted proxies have no limit.
 */
export function limitConnections(
  server: Server,
  trusts: Trusts,
  { perClient = MOST_OF_A_CLIENT, total = connectionsThatFit() }: Partial<ConnectionLimits> = {},
): void {
  const places = createFairPlaces<Socket>({ perClient, total })
  server.on('connection', (socket) => {
    const address = socket.remoteAddress
    // A proxy, or a client that has already left.
    if (address === undefined || trusts(plainAddress(address))) return
    const client = writerOf(clientAddress(address, undefined, trusts))
    const taken = places.take(client, socket)
    if (!taken) return void socket.destroy()
    taken.leaving?.destroy()
    socket.once('close', () => places.give(client, socket))
  })
}
