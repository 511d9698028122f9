import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientAddress, plainAddress, type Trusts, writerOf } from './clientAddress.ts'
import { createFairSlots } from './fairSlots.ts'

/** Connections open at once, for one client and for all. */
export type ConnectionLimits = { perClient: number; total: number }

/** For one client: a browser opens six, a program with a pool some dozens. */
const MOST_OF_A_CLIENT = 1_024

/**
 * Closes connections that a client opens beyond its share: requests are counted only when they arrive, so
 * clients that send none could take all of the process's file descriptors. Once all places are taken, the client
 * with the most loses its newest to one that holds fewer; for that, an IPv6 /48 is one client. The limit for each
 * client counts by /64: a carrier's many customers may share a /48. Trusted proxies have no limit.
 */
export function limitConnections(
  server: Server,
  trusts: Trusts,
  { perClient = MOST_OF_A_CLIENT, total = connectionsThatFit() }: Partial<ConnectionLimits> = {},
): void {
  const places = createFairSlots<Socket>(total)
  const held = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = socket.remoteAddress
    // A proxy, or a client that has already left.
    if (address === undefined || trusts(plainAddress(address))) return
    const client = clientAddress(address, undefined, trusts)
    const network = writerOf(client)
    const own = held.get(client) ?? 0
    const taken = own < perClient && places.take(network, socket)
    if (!taken) return void socket.destroy()
    held.set(client, own + 1)
    taken.leaving?.destroy()
    socket.once('close', () => {
      places.give(network, socket)
      const left = (held.get(client) ?? 1) - 1
      if (left === 0) held.delete(client)
      else held.set(client, left)
    })
  })
}

/** Descriptors reserved for the database, the chains' nodes, webhooks and files; at most half of all. */
const KEPT = 1_000

/** Each connection takes memory too. */
const MOST = 20_000

/** The limit on macOS; assumed if the system doesn't state its own. */
const USUAL_DESCRIPTORS = 10_240

/** How many connections a process's file descriptors leave room for. */
export function connectionsThatFit(descriptors: number = mostDescriptors()): number {
  return Math.min(MOST, descriptors - Math.min(KEPT, Math.floor(descriptors / 2)))
}

/** How many files this process may have open at once. */
function mostDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1]
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? USUAL_DESCRIPTORS)
  } catch {
    return USUAL_DESCRIPTORS
  }
}
