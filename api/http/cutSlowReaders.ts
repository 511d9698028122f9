import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export type Pace = {
  /** Bytes a second that a reader must take in the long run. */
  bytesPerSecond: number
  /** Milliseconds that it has beside, however little it is sent. */
  graceMs: number
  /** Milliseconds between two looks. */
  everyMs: number
}

const PACE: Pace = { bytesPerSecond: 16 * 1024, graceMs: 30_000, everyMs: 5_000 }

/** What waits to be read on a connection: since when, and the most that there was. */
type Backlog = { since: number; bytes: number }

/**
 * Cuts connections whose reader takes its answer so slowly, a byte now and then, that it would hold it in
 * our memory for hours. Time without anything to read is free: an idle subscription is never cut.
 * Looks until the server is closed.
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
