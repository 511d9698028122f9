import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export type Pace = {
  /** Bytes per second that a client must read on average. */
  bytesPerSecond: number
  /** Extra milliseconds, however little is sent. */
  graceMs: number
  /** Milliseconds between two checks. */
  everyMs: number
}

const PACE: Pace = { bytesPerSecond: 16 * 1024, graceMs: 30_000, everyMs: 5_000 }

/** A connection's unread bytes: since when there have been any, and their maximum. */
type Backlog = { since: number; bytes: number }

/**
 * Cuts connections whose clients read so slowly that responses would stay in memory for hours. Idle time doesn't
 * count: a subscription without events is never cut. Runs until the server is closed.
 */
export function cutSlowReaders(server: Server, pace: Pace = PACE): void {
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
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

function backlogOf(socket: Socket, before: Backlog | null, now: number): Backlog | null {
  const bytes = socket.writableLength
  if (bytes === 0) return null
  return { since: before?.since ?? now, bytes: Math.max(bytes, before?.bytes ?? 0) }
}

function allowedMs(bytes: number, { bytesPerSecond, graceMs }: Pace): number {
  return graceMs + (bytes / bytesPerSecond) * 1_000
}
