import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type CairnEvent, verifyWebhook } from '../../sdk/index.ts'

type WebhookReceiver = {
  server: Server
  /** Sets the secret with which deliveries must be signed from now on. */
  trust(secret: string): void
}

/** Longest delivery accepted, in bytes. */
const MOST_BYTES = 100_000

/** A server that accepts deliveries and handles each event once. */
export function receiveWebhooks(onEvent: (event: CairnEvent) => void): WebhookReceiver {
  const seen = new Set<string>()
  let secret = ''
  const server = createServer(async (request, response) => {
    try {
      // Read the raw body: the signature covers these very bytes.
      const event = verifyWebhook(await bodyOf(request), request.headers, secret)
      response.writeHead(204).end()
      // After a crash on either side an event may be delivered again, with the same id.
      if (seen.has(event.id)) return
      seen.add(event.id)
      onEvent(event)
    } catch {
      response.writeHead(401).end()
    }
  })
  return {
    server,
    trust: (given) => {
      secret = given
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MOST_BYTES) throw new Error('too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
