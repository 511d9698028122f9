/** Receives deliveries in its own process, and reports when each arrived. Paths below /hang/ are never answered. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Arrival = { path: string; id: string; at: number }
export type ReceiverMessage =
  | { type: 'listening'; port: number }
  | { type: 'arrived'; arrivals: Arrival[] }

const send = (message: ReceiverMessage) => process.send?.(message)
let waiting: Arrival[] = []

const server = createServer((request, response) => {
  const path = request.url ?? ''
  waiting.push({ path, id: String(request.headers['webhook-id']), at: Date.now() })
  request.resume()
  if (!path.startsWith('/hang/')) request.on('end', () => response.writeHead(204).end())
})
// Batched: each message costs the measured process time.
setInterval(() => {
  if (waiting.length === 0) return
  send({ type: 'arrived', arrivals: waiting })
  waiting = []
}, 50)
server.listen(0, '127.0.0.1', () =>
  send({ type: 'listening', port: (server.address() as AddressInfo).port }),
)
process.on('disconnect', () => process.exit())
