import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { findClientAddress, type IsTrustedProxy, plainAddress, writerOf } from './clientAddress.ts'
import { createFairSlots } from './fairSlots.ts'

/** Maximum number of open connections, for one client and for all. */
export type ConnectionLimits = { perClient: number; total: number }

/** A browser opens six connections, a program with a pool some dozens. */
const MAX_PER_CLIENT = 1_024

/**
 * Limits connections. Clients that send no requests aren't rate-limited, and could take all of the process's file
 * descriptors. Once all slots are taken, the client with the most loses its newest connection to one with fewer;
 * there an IPv6 /48 counts as one client. The limit per client applies to a /64, since a carrier's customers may
 * share a /48. Trusted proxies have no limit.
 */
export function limitConnections(
  server: Server,
  isTrustedProxy: IsTrustedProxy,
  { perClient = MAX_PER_CLIENT, total = connectionsThatFit() }: Partial<ConnectionLimits> = {},
): void {
  const slots = createFairSlots<Socket>(total)
  const perAddress = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = socket.remoteAddress
    // The client has already disconnected, or is a proxy.
    if (address === undefined || isTrustedProxy(plainAddress(address))) return
    const client = findClientAddress(address, undefined, isTrustedProxy)
    const network = writerOf(client)
    const own = perAddress.get(client) ?? 0
    const taken = own < perClient && slots.take(network, socket)
    if (!taken) return void socket.destroy()
    perAddress.set(client, own + 1)
    taken.evicted?.destroy()
    socket.once('close', () => {
      slots.release(network, socket)
      const left = (perAddress.get(client) ?? 1) - 1
      if (left === 0) perAddress.delete(client)
      else perAddress.set(client, left)
    })
  })
}

/** File descriptors reserved for the database, the chains' nodes, webhooks and files; at most half of all. */
const RESERVED_DESCRIPTORS = 1_000

/** Each connection takes memory too. */
const MAX_CONNECTIONS = 20_000

/** macOS's limit, assumed if the system doesn't report one. */
const FALLBACK_DESCRIPTORS = 10_240

/** How many connections the process's file descriptors allow. */
export function connectionsThatFit(descriptors: number = mostDescriptors()): number {
  return Math.min(
    MAX_CONNECTIONS,
    descriptors - Math.min(RESERVED_DESCRIPTORS, Math.floor(descriptors / 2)),
  )
}

/** The process's limit of open files. */
function mostDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1]
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? FALLBACK_DESCRIPTORS)
  } catch {
    return FALLBACK_DESCRIPTORS
  }
}
