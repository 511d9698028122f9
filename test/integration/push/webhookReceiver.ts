import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received delivery and its time in unix seconds. */
export type Received = { path: string; headers: IncomingHttpHeaders; body: string; at: number }

export type WebhookReceiver = {
  url: string
  received: Received[]
  /** Ids of the events received at a path, with repeats. */
  idsAt(path: string): string[]
  stop(): Promise<void>
}

/** A server that receives webhooks and answers 204 unless `answer` decides otherwise. */
export async function startWebhookReceiver(
  answer: (path: string, response: ServerResponse) => void = (_, response) => {
    response.writeHead(204).end()
  },
): Promise<WebhookReceiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const path = request.url ?? ''
      received.push({ path, headers: request.headers, body, at: Date.now() / 1_000 })
      answer(path, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    idsAt: (path) =>
      received
        .filter((one) => one.path === path)
        .map(({ headers }) => String(headers['webhook-id'])),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
