import { PUSH_TYPES, type PushEvent, type PushType } from '../../core/push/pushEvent.ts'
import { requireIntentId } from '../errors/invalidArgument.ts'
import { buildServiceUrl } from '../relayer/buildServiceUrl.ts'
import { describeWrongBaseUrl } from '../relayer/describeWrongBaseUrl.ts'
import { readText } from '../relayer/readText.ts'
import { refuseRedirect } from '../relayer/refuseRedirect.ts'
import { RelayerError } from '../relayer/relayerError.ts'
import { parseJson } from '../relayer/requestRelayer.ts'
import { abortableSleep, backoff } from './abortableSleep.ts'
import { pushEventSchema, typedEventSchema } from './pushEventSchema.ts'
import { readServerSentEvents } from './readServerSentEvents.ts'

/** Selects events: an event must match all given fields. */
export type EventFilter = {
  /** At most 100. */
  intents?: readonly bigint[]
  sender?: string
  solver?: string
  /** Source or destination: a ChainId name or a numeric id. */
  chain?: string | number
  types?: readonly PushType[]
}

export type FollowOptions = {
  signal?: AbortSignal | undefined
  /** The position to resume from; `0` for all events the relayer keeps. Default: from now on. */
  lastEventId?: string | undefined
  /** Called with each position: store it to miss nothing across a restart. */
  onPosition?: ((lastEventId: string) => void) | undefined
  /** Called when the stream opens, also after a break. */
  onOpen?: (() => void) | undefined
  /** Called when the stream breaks; it reconnects by itself. */
  onBreak?: (() => void) | undefined
  /** Called when events may have been missed: reload your data. */
  onMissed?: (() => void) | undefined
}

const MIN_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
/** The relayer sends a heartbeat every 15 s, so a stream that is silent for this long is dead. */
const MAX_SILENCE_MS = 40_000

/**
 * Follows events for as long as the caller iterates. Reconnects a broken stream and resumes after the last event. Skips
 * events of unknown types, but calls `onPosition` for them too.
 *
 * @throws RelayerError when the relayer refuses (429 and 5xx are retried) or sends something that isn't an event,
 * CairnError `INVALID_REQUEST` for an invalid intent id, the signal's reason
 */
export async function* followEvents(
  baseUrl: string,
  filter: EventFilter = {},
  options: FollowOptions = {},
): AsyncGenerator<PushEvent> {
  const { signal, onPosition, onOpen, onBreak, onMissed } = options
  let { lastEventId } = options
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted()
    const connection = new AbortController()
    const stop = () => connection.abort(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const body = await openStream(composeUrl(baseUrl, filter), lastEventId, connection)
      if (body !== null) {
        attempt = 0
        onOpen?.()
        for await (const event of readWhileAlive(body, connection)) {
          if (event.id !== null) lastEventId = event.id
          if (event.type === 'stream.reset') onMissed?.()
          else {
            const parsed = parseEvent(event.data)
            if (parsed !== null) yield parsed
          }
          if (event.id !== null) onPosition?.(event.id)
        }
        onBreak?.()
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      connection.abort()
    }
    await abortableSleep(backoff(attempt, MIN_BACKOFF_MS, MAX_BACKOFF_MS), signal)
  }
}

/** The event; null for one of an unknown type, which a newer relayer may send. */
function parseEvent(text: string): PushEvent | null {
  const json = parseJson(text)
  const typed = typedEventSchema.safeParse(json)
  if (!typed.success) throw invalidEvent()
  if (!isKnown(typed.data.type)) return null
  const parsed = pushEventSchema.safeParse(json)
  if (!parsed.success) throw invalidEvent()
  return parsed.data as PushEvent
}

function isKnown(type: string): boolean {
  return (PUSH_TYPES as readonly string[]).includes(type)
}

function invalidEvent(cause?: unknown): RelayerError {
  const message =
    'the relayer sent an event in an unexpected form: update the SDK, or ask its operator'
  return new RelayerError({ code: 'ANSWER_INVALID', message, status: 200 }, { cause })
}

function composeUrl(baseUrl: string, { intents, types, ...rest }: EventFilter): URL {
  const ids = intents?.map((id, at) => requireIntentId(id, `intents.${at}`))
  const query = { intents: ids?.join(','), types: types?.join(','), ...rest }
  return buildServiceUrl(baseUrl, '/events', query)
}

/** Opens the stream; null when that isn't possible at the moment, or takes too long. */
async function openStream(
  url: URL,
  lastEventId: string | undefined,
  connection: AbortController,
): Promise<ReadableStream<Uint8Array> | null> {
  const timer = setTimeout(() => connection.abort(), MAX_SILENCE_MS)
  try {
    return await requestStream(url, lastEventId, connection.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function requestStream(
  url: URL,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  const headers: Record<string, string> = { accept: 'text/event-stream' }
  if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
  const response = await fetch(url, { headers, signal, redirect: 'manual' }).catch(() => null)
  if (response === null) return null
  refuseRedirect(response, url, 'the relayer')
  if (response.ok) return response.body
  const { status } = response
  if (status === 429 || status >= 500) {
    await response.body?.cancel().catch(() => {})
    return null
  }
  const text = (await readText(response).catch(() => null)) ?? ''
  const { error } = Object(parseJson(text)) as { error?: unknown }
  const reason = typeof error === 'string' ? `: ${error}` : ''
  const message =
    describeWrongBaseUrl({ status, code: 'UNKNOWN' }, url, 'the relayer') ??
    `the relayer refused the event stream with status ${status}${reason}`
  throw new RelayerError({ code: 'EVENTS_REFUSED', status, message })
}

/** The stream's messages until it ends, breaks or falls silent. */
async function* readWhileAlive(body: ReadableStream<Uint8Array>, connection: AbortController) {
  let timer = setTimeout(() => connection.abort(), MAX_SILENCE_MS)
  const onData = () => {
    clearTimeout(timer)
    timer = setTimeout(() => connection.abort(), MAX_SILENCE_MS)
  }
  try {
    yield* readServerSentEvents(body, onData)
  } catch (error) {
    // The stream broke, and the caller reconnects.
    if (error instanceof RangeError) throw invalidEvent(error)
  } finally {
    clearTimeout(timer)
  }
}
