import { z } from '@hono/zod-openapi'
import { PUSH_TYPES } from '../../../core/push/pushEvent.ts'
import {
  type JournalLine,
  type PushFilter,
  renderPushEvent,
} from '../../../services/store/push/readJournal.ts'
import { addEndpoint } from '../../http/addEndpoint.ts'
import { ApiError } from '../../http/apiError.ts'
import { addressOf } from '../../http/limits/clientAddress.ts'
import { createOpenStreamLimiter } from '../../http/limits/openStreamLimiter.ts'
import { addReadings } from '../../http/metrics.ts'
import { EVENT_STREAM_HEADERS, textStream } from '../../http/textStream.ts'
import { addressInput, chainInput, intentIdInput } from '../../http/valueSchemas.ts'
import { withHeartbeats } from '../../http/withHeartbeats.ts'
import type { ApiRoutes } from '../server.ts'
import { createEventHub } from './eventHub.ts'
import { followJournal, type JournalOptions } from './followJournal.ts'

/** Streams that are open at once. One carries any number of intents. */
const STREAM_LIMITS = { perClient: 20, total: 2_000 } as const

/** Intents that one stream may name. */
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
  .pipe(z.array(z.enum(PUSH_TYPES)).min(1))
  .openapi({ type: 'string', example: 'intent.completed,intent.reorged' })

const position = z
  .string()
  .regex(/^[0-9]{1,16}$/, 'expected the id of an event, or 0')
  .transform(Number)
  .refine(Number.isSafeInteger, 'expected the id of an event, or 0')
  .openapi({ type: 'string', description: 'The last event that you have; 0: all that are kept.' })

const query = z.strictObject({
  intents: idList.optional(),
  sender: addressInput.optional(),
  solver: addressInput.optional(),
  chain: chainInput.optional(),
  types: typeList.optional(),
  lastEventId: position.optional(),
})

const headers = z.object({
  'last-event-id': z.string().optional().openapi({ description: 'Stronger than `lastEventId`.' }),
})

type EventsOptions = {
  onProblem: (error: unknown) => void
  limits?: { perClient: number; total: number }
  heartbeatMs?: number
}

/** `GET /events`: the journal as server-sent events. */
export function eventRoutes({
  onProblem,
  limits = STREAM_LIMITS,
  heartbeatMs,
}: EventsOptions): ApiRoutes {
  return (app, { db, feed, isTrustedProxy, metrics }) => {
    const hub = createEventHub(db, feed, onProblem)
    const counts = createOpenStreamLimiter(limits)
    addReadings(metrics, [
      {
        name: 'cairn_event_streams',
        help: 'Event streams that are open.',
        read: () => [{ value: counts.size() }],
      },
    ])
    addEndpoint(app, {
      method: 'get',
      path: '/events',
      tag: 'Events',
      summary: 'What happens, as it happens',
      description:
        'Server-sent events. Each has an id: come back with `Last-Event-ID` and nothing is left out. Only public facts, never a recipient.',
      query,
      headers,
      answer: z.string().openapi({ description: 'Server-sent events.' }),
      answerType: 'text/event-stream',
      failures: [503],
      handler: async (asked, c) => {
        const { lastEventId, ...filter } = asked
        const given = position.safeParse(c.req.header('last-event-id'))
        const after = given.success ? given.data : (lastEventId ?? null)
        // Hono answers HEAD as GET and throws the body away, unread.
        if (c.req.method === 'HEAD') return new Response(null, { headers: EVENT_STREAM_HEADERS })
        const lost = new AbortController()
        const leave = takePlace(counts, addressOf(c, isTrustedProxy), limits, () => lost.abort())
        const left = AbortSignal.any([c.req.raw.signal, lost.signal])
        const more = heartbeatMs === undefined ? {} : { heartbeatMs }
        const common = { db, hub, filter: filter as PushFilter, after, onClose: leave, ...more }
        return textStream((signal) => eventStream({ ...common, signal }), left).catch(
          (error: unknown) => {
            leave()
            throw error
          },
        )
      },
    })
    return { close: async () => hub.close() }
  }
}

function takePlace(
  counts: ReturnType<typeof createOpenStreamLimiter>,
  client: string,
  { perClient }: { perClient: number },
  onLost: () => void,
): () => void {
  const taken = counts.take(client, onLost)
  if (typeof taken === 'function') return taken
  const message =
    taken === 'client'
      ? `a client has at most ${perClient} event streams: follow many intents on one`
      : 'the server has as many event streams as it can: come back later'
  throw new ApiError(message, { status: 429, code: 'RATE_LIMITED', retryAfter: 10 })
}

/** So that neither proxies nor clients take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000
/** Milliseconds after which a client reconnects. */
const RETRY_MS = 2_000

type StreamOptions = JournalOptions & { heartbeatMs?: number }

/** Server-sent events as text: first what came after the client's last one, then each as it is written. */
async function* eventStream(options: StreamOptions): AsyncGenerator<string> {
  const { heartbeatMs = HEARTBEAT_MS, ...journal } = options
  const lines = await followJournal(journal)
  try {
    yield `retry: ${RETRY_MS}\n\n`
    for await (const line of withHeartbeats(lines, heartbeatMs)) {
      if (line === null) yield ':\n\n'
      else yield 'prunedTo' in line ? resetText(line.prunedTo) : eventText(line)
    }
  } catch {
    // A reader that was too slow, or a lost database: the client reconnects with its last id.
  } finally {
    await lines.return?.()
  }
}

/** One event on the wire. */
function eventText(line: JournalLine): string {
  const { sequence, type } = line
  return `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(renderPushEvent(line))}\n\n`
}

/** The position isn't one of this journal, or older than what is kept: something may be missing. */
function resetText(prunedTo: number): string {
  const message = 'events may be missing: read your data again'
  const data = { code: 'EVENTS_MISSED', message, prunedTo: String(prunedTo) }
  return `event: stream.reset\ndata: ${JSON.stringify(data)}\n\n`
}
