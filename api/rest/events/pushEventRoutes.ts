import { z } from '@hono/zod-openapi'
import { PUSH_TYPES } from '../../../core/push/pushEvent.ts'
import {
  type JournalLine,
  type PushFilter,
  renderPushEvent,
} from '../../../services/store/push/readPushJournal.ts'
import { addEndpoint } from '../../http/addEndpoint.ts'
import { ApiError, BadRequestError } from '../../http/apiError.ts'
import { createEventStreamResponse, EVENT_STREAM_HEADERS } from '../../http/eventStreamResponse.ts'
import { addressOf } from '../../http/limits/clientAddress.ts'
import { createOpenStreamLimiter } from '../../http/limits/openStreamLimiter.ts'
import { addReadings, readingOf } from '../../http/metrics.ts'
import { addressInput, chainInput, intentIdInput } from '../../http/valueSchemas.ts'
import { withHeartbeats } from '../../http/withHeartbeats.ts'
import type { ApiRoutes } from '../startApi.ts'
import { createPushEventHub } from './pushEventHub.ts'
import { pushEventSchema } from './pushEventSchema.ts'
import { type JournalOptions, tailPushEventJournal } from './tailPushEventJournal.ts'

/** Open streams. One can carry any number of intents. */
const STREAM_LIMITS = { perClient: 20, total: 2_000 } as const

/** Intents that a stream may name. */
const MAX_INTENTS = 100

const idList = z
  .string()
  .max(100 * MAX_INTENTS)
  .transform((text) => text.split(','))
  .pipe(z.array(intentIdInput).min(1).max(MAX_INTENTS))
  .openapi({ type: 'string', description: `Intent ids, comma-separated; ${MAX_INTENTS} at most.` })

const typeList = z
  .string()
  .max(1_000)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(PUSH_TYPES)).min(1).max(PUSH_TYPES.length))
  .openapi({ type: 'string', example: 'intent.completed,intent.reorged' })

const position = z
  .string()
  .regex(/^(evt_)?[0-9]{1,16}$/, 'expected the id of an event, or 0')
  .transform((text) => Number(text.replace('evt_', '')))
  .refine(Number.isSafeInteger, 'expected the id of an event, or 0')
  .openapi({
    type: 'string',
    description: 'The id of your last event, with or without `evt_`. 0 sends all that are kept.',
  })

const query = z.strictObject({
  intents: idList.optional(),
  sender: addressInput.optional(),
  solver: addressInput.optional(),
  chain: chainInput.optional(),
  types: typeList.optional(),
  lastEventId: position.optional(),
})

const headers = z.object({
  'last-event-id': z.string().optional().describe('Takes precedence over `lastEventId`.'),
})

type EventsOptions = {
  onProblem: (error: unknown) => void
  limits?: { perClient: number; total: number }
  heartbeatMs?: number
}

/** `GET /events`: the journal as server-sent events. */
export function createPushEventRoutes({
  onProblem,
  limits = STREAM_LIMITS,
  heartbeatMs,
}: EventsOptions): ApiRoutes {
  return (app, { db, feed, isTrustedProxy, metrics }) => {
    const hub = createPushEventHub(db, feed, onProblem)
    const limiter = createOpenStreamLimiter(limits)
    addReadings(metrics, [readingOf('cairn_event_streams', 'Open event streams.', limiter.size)])
    addEndpoint(app, {
      method: 'get',
      path: '/events',
      tag: 'Events',
      summary: 'Events as they happen',
      description:
        'Server-sent events with ids: reconnect with `Last-Event-ID` to miss none. The schema is that of each message’s data, except `stream.reset`’s, after which you reload your data. They never contain recipients.',
      query,
      headers,
      answer: pushEventSchema,
      answerType: 'text/event-stream',
      failures: [503],
      handler: async ({ lastEventId, ...filter }, c) => {
        const header = c.req.header('last-event-id')
        const after = header ? positionIn(header) : (lastEventId ?? null)
        // Hono answers HEAD like GET, and discards the body without reading it.
        if (c.req.method === 'HEAD') return new Response(null, { headers: EVENT_STREAM_HEADERS })
        const evicted = new AbortController()
        const release = takeSlot(limiter, addressOf(c, isTrustedProxy), limits, () =>
          evicted.abort(),
        )
        const left = AbortSignal.any([c.req.raw.signal, evicted.signal])
        const more = heartbeatMs === undefined ? {} : { heartbeatMs }
        const common = { db, hub, filter: filter as PushFilter, after, onClose: release, ...more }
        return createEventStreamResponse(
          (signal) => eventStream({ ...common, signal }),
          left,
        ).catch((error: unknown) => {
          release()
          throw error
        })
      },
    })
    return { close: async () => hub.close() }
  }
}

/** Ignoring a wrong position would silently skip events. */
function positionIn(header: string): number {
  const parsed = position.safeParse(header)
  if (parsed.success) return parsed.data
  throw new BadRequestError('the header Last-Event-ID must be the id of an event, or 0')
}

function takeSlot(
  limiter: ReturnType<typeof createOpenStreamLimiter>,
  client: string,
  { perClient }: { perClient: number },
  onEvicted: () => void,
): () => void {
  const taken = limiter.take(client, onEvicted)
  if (typeof taken === 'function') return taken
  const message =
    taken === 'client'
      ? `a client has at most ${perClient} event streams: follow many intents on one`
      : 'the server can’t open more event streams: try again later'
  throw new ApiError(message, { status: 429, code: 'RATE_LIMITED', retryAfter: 10 })
}

/** Keeps proxies and clients from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000
/** Milliseconds after which a client reconnects. */
const RETRY_MS = 2_000

type StreamOptions = JournalOptions & { heartbeatMs?: number }

/** Server-sent events as text: first those after the client's last one, then each as it is written. */
async function* eventStream(options: StreamOptions): AsyncGenerator<string> {
  const { heartbeatMs = HEARTBEAT_MS, ...journal } = options
  const lines = await tailPushEventJournal(journal)
  try {
    yield `retry: ${RETRY_MS}\n\n`
    for await (const line of withHeartbeats(lines, heartbeatMs)) {
      if (line === null) yield ':\n\n'
      else yield 'prunedTo' in line ? resetText(line.prunedTo) : eventText(line)
    }
  } catch {
    // The reader was too slow, or the database connection was lost: the client reconnects with its last id.
  } finally {
    await lines.return?.()
  }
}

/** One event on the wire. */
function eventText(line: JournalLine): string {
  const { sequence, type } = line
  return `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(renderPushEvent(line))}\n\n`
}

/** Sent if the client's position is unknown, or older than what is kept, so that it may have missed events. */
function resetText(prunedTo: number): string {
  const message = 'events may be missing: reload your data'
  const data = { code: 'EVENTS_MISSED', message, prunedTo: String(prunedTo) }
  return `event: stream.reset\ndata: ${JSON.stringify(data)}\n\n`
}
