import { Agent, request as ask, createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Traffic: requests, each delayed by the latency, and the calls in them. */
export type ProxyCount = { exchanges: number; questions: Record<string, number>; bytes: number }

export type ProxyMessage =
  | { type: 'listening'; port: number }
  | { type: 'count'; count: ProxyCount }

const { target, latencyMs } = workerData as { target: string; latencyMs: number }
const agent = new Agent({ keepAlive: true })
let count = nothing()

const server = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const body = Buffer.concat(parts)
  note(body)
  await pause(latencyMs)
  const answer = ask(target, { method: 'POST', agent, headers: headersOf(request, body) })
  answer.on('error', () => response.destroy())
  answer.on('response', (from) => {
    response.writeHead(from.statusCode ?? 502, { 'content-type': 'application/json' })
    from.on('data', (part: Buffer) => {
      count.bytes += part.length
    })
    from.pipe(response)
  })
  answer.end(body)
})
server.keepAliveTimeout = 60_000

/** Delays a WebSocket's bytes by half the latency in each direction. */
server.on('upgrade', (request, socket: Socket, head) => {
  const node = connect(Number(new URL(target).port), '127.0.0.1')
  const lines = [`GET ${request.url} HTTP/1.1`]
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`)
  }
  node.write(`${lines.join('\r\n')}\r\n\r\n`)
  node.write(head)
  passLate(socket, node)
  passLate(node, socket)
})

server.listen(0, '127.0.0.1', () => {
  post({ type: 'listening', port: (server.address() as AddressInfo).port })
})
parentPort?.on('message', () => {
  post({ type: 'count', count })
  count = nothing()
})

function passLate(from: Socket, to: Socket): void {
  from.on('data', (part) => setTimeout(() => to.writable && to.write(part), latencyMs / 2))
  from.on('error', () => to.destroy())
  from.on('close', () => to.end())
}

function note(body: Buffer): void {
  count.exchanges += 1
  for (const [, method = ''] of body.toString('latin1').matchAll(/"method":"(\w+)"/g)) {
    count.questions[method] = (count.questions[method] ?? 0) + 1
  }
}

function headersOf(request: IncomingMessage, body: Buffer) {
  const type = request.headers['content-type'] ?? 'application/json'
  return { 'content-type': type, 'content-length': body.length }
}

function nothing(): ProxyCount {
  return { exchanges: 0, questions: {}, bytes: 0 }
}

function post(message: ProxyMessage): void {
  parentPort?.postMessage(message)
}
