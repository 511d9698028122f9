import { createServer, type IncomingMessage, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type CairnEvent, verifyWebhook } from '../../sdk/index.ts'

type WebhookHandlers = {
  onEvent: (event: CairnEvent) => Promise<void> | void
  /** Called with the reason for each delivery that isn't authentic. */
  onRefused?: (reason: string) => void
}

type WebhookReceiver = {
  server: Server
  /** Sets the secret with which deliveries must be signed. Until then, deliveries are refused and sent again later. */
  trust(secret: string): void
}

/** Longest delivery accepted, in bytes. */
const MAX_BYTES = 100_000

/** The sender waits for 15 seconds. */
const HANDLING_LIMIT_MS = 10_000

/**
 * A server that accepts deliveries and handles each event once, while it runs. It accepts a delivery only after `onEvent` has
 * succeeded, because the sender retries everything else.
 */
export function receiveWebhooks(
  { onEvent, onRefused = () => {} }: WebhookHandlers,
  handlingLimitMs = HANDLING_LIMIT_MS,
): WebhookReceiver {
  // If you act on events, store their ids in your database together with what you change: this map is lost when the program
  // ends. After a crash on either side, or a timeout, an event is delivered again, with the same id.
  const handled = new Map<string, Promise<void>>()
  let secret: string | null = null

  const handleOnce = (event: CairnEvent): Promise<void> => {
    const earlier = handled.get(event.id)
    if (earlier) return earlier
    const handling = (async () => onEvent(event))()
    handled.set(event.id, handling)
    handling.catch(() => handled.delete(event.id))
    return handling
  }
  const chooseStatus = async (request: IncomingMessage): Promise<number> => {
    if (secret === null) return 503
    let event: CairnEvent
    try {
      // Read the raw body: the signature covers these very bytes.
      event = verifyWebhook(await readBody(request), request.headers, secret)
    } catch (error) {
      onRefused((error as Error).message)
      return 401
    }
    const outcome = handleOnce(event).then(
      () => 204,
      () => 500,
    )
    return Promise.race([outcome, pause(handlingLimitMs, 500, { ref: false })])
  }
  const server = createServer(async (request, response) => {
    response.writeHead(await chooseStatus(request)).end()
  })
  return {
    server,
    trust: (given) => {
      secret = given
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MAX_BYTES) throw new Error(`the delivery has more than ${MAX_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
