import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { findClientAddress, writerOf } from './clientAddress.ts'

export type Pace = {
  /** Bytes per second that a client must read on average. */
  bytesPerSecond: number
  /** Extra milliseconds, however little is sent. */
  graceMs: number
  /** Milliseconds between two checks. */
  everyMs: number
  /** Unread bytes of all connections together. */
  mostUnread: number
}

const PACE: Pace = {
  bytesPerSecond: 16 * 1024,
  graceMs: 30_000,
  everyMs: 5_000,
  mostUnread: 512 * 2 ** 20,
}

/** Milliseconds between two checks of all unread bytes: memory fills faster than a reader proves to be slow. */
const UNREAD_EVERY_MS = 250

/** A connection's unread bytes: since when there have been any, and their maximum. */
type Backlog = { since: number; bytes: number }

/**
 * Cuts connections whose clients read so slowly that responses would stay in memory for hours, and, while all unread
 * responses together take too much memory, those of the client with the most. Idle time doesn't count: a
 * subscription without events is never cut. Runs until the server is closed.
 */
export function cutSlowReaders(server: Server, given: Partial<Pace> = {}): void {
  const pace = { ...PACE, ...given }
  const sockets = new Map<Socket, Backlog | null>()
  server.on('connection', (socket) => {
    sockets.set(socket, null)
    socket.once('close', () => sockets.delete(socket))
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [socket, backlog] of sockets) {
      const seen = backlogOf(socket, backlog, now)
      if (seen && now - seen.since > allowedMs(seen.bytes, pace)) socket.destroy()
      else sockets.set(socket, seen)
    }
  }, pace.everyMs)
  const unreadTimer = setInterval(
    () => cutLargest(sockets.keys(), pace.mostUnread),
    UNREAD_EVERY_MS,
  )
  timer.unref()
  unreadTimer.unref()
  server.once('close', () => {
    clearInterval(timer)
    clearInterval(unreadTimer)
  })
}

/** Cuts connections of the clients with the most unread bytes, until those left take less than allowed. */
function cutLargest(sockets: Iterable<Socket>, mostUnread: number): void {
  const unread = [...sockets].filter((socket) => socket.writableLength > 0)
  let total = unread.reduce((sum, socket) => sum + socket.writableLength, 0)
  if (total <= mostUnread) return
  const byClient = Map.groupBy(unread, ({ remoteAddress }) =>
    writerOf(findClientAddress(remoteAddress, undefined, () => false)),
  )
  const clients = [...byClient.values()].map((held) => ({
    // Those with the most last, since one proxy may hold its clients' connections.
    held: held.toSorted((a, b) => a.writableLength - b.writableLength),
    bytes: held.reduce((sum, socket) => sum + socket.writableLength, 0),
  }))
  while (total > mostUnread) {
    const largest = clients.reduce((a, b) => (b.bytes > a.bytes ? b : a))
    const cut = largest.held.pop()
    if (cut === undefined) return
    total -= cut.writableLength
    largest.bytes -= cut.writableLength
    cut.destroy()
  }
}

function backlogOf(socket: Socket, before: Backlog | null, now: number): Backlog | null {
  const bytes = socket.writableLength
  if (bytes === 0) return null
  return { since: before?.since ?? now, bytes: Math.max(bytes, before?.bytes ?? 0) }
}

function allowedMs(bytes: number, { bytesPerSecond, graceMs }: Pace): number {
  return graceMs + (bytes / bytesPerSecond) * 1_000
}
