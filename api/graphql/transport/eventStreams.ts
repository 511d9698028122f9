import { randomBytes } from 'node:crypto'
import { type BoundedQueue, boundedQueue } from '../../http/limits/boundedQueue.ts'
import { createOpenStreamLimiter } from '../../http/limits/openStreamLimiter.ts'
import { withHeartbeats } from '../../http/withHeartbeats.ts'
import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'
import type { Answers, BeginOperation, Operation } from './beginOperation.ts'
import { TRANSPORT_LIMITS, type TransportLimits } from './transportLimits.ts'

/** A refusal: an HTTP status and a sentence. */
export class StreamRefusal extends Error {
  override name = 'StreamRefusal'
  readonly status: 400 | 404 | 409 | 429

  constructor(status: StreamRefusal['status'], message: string) {
    super(message)
    this.status = status
  }
}

/** Streams that each carry many operations: the single connection mode of GraphQL over SSE. */
export type EventStreams = {
  /** Reserves a stream: the token that opens it and names it. @throws StreamRefusal */
  reserve(client: string): string
  /** The stream's text, until it is left. @throws StreamRefusal for a token that is open, or none */
  open(token: string, signal: AbortSignal): AsyncGenerator<string>
  /**
   * Begins an operation whose answers come over the stream, by its `extensions.operationId`. Returns why it
   * was refused, or null. @throws StreamRefusal
   */
  run(token: string, operation: Operation, client: string): ReturnType<typeof begin>
  /** Ends an operation; one that isn't there has ended. @throws StreamRefusal */
  stop(token: string, operationId: string): void
  /** Streams that are reserved or open. */
  size(): number
  /** Ends all of them. */
  close(): void
}

type Stream = {
  isOpen: boolean
  queue: BoundedQueue<string>
  /** By id; null while one is being begun. */
  operations: Map<string, Answers | null>
  /** Closes it when nobody opens it, or no operation is left. */
  timer: NodeJS.Timeout | undefined
}

const LONGEST_OPERATION_ID = 100

export function createEventStreams(
  beginOperation: BeginOperation,
  limits: TransportLimits = TRANSPORT_LIMITS,
): EventStreams {
  const streams = new Map<string, Stream>()
  const counts = createOpenStreamLimiter(limits)
  const find = (token: string) => {
    const stream = streams.get(token)
    if (!stream) throw new StreamRefusal(404, 'no stream of this token: reserve one by PUT')
    return stream
  }
  return {
    reserve: (client) => {
      const leave = counts.take(client, () => stream.queue.end())
      if (typeof leave === 'string') {
        const whose = leave === 'client' ? 'a client' : 'the server'
        throw new StreamRefusal(429, `${whose} has no more streams: come back later`)
      }
      const token = randomBytes(24).toString('base64url')
      const stream = newStream(limits.unreadBytes, () => {
        streams.delete(token)
        leave()
      })
      closeAfter(stream, limits.beginMs)
      streams.set(token, stream)
      return token
    },
    open: (token, signal) => {
      const stream = find(token)
      if (stream.isOpen) throw new StreamRefusal(409, 'this stream is open already')
      stream.isOpen = true
      rest(stream, limits)
      return textsOf(stream, signal, limits)
    },
    run: (token, operation, client) =>
      begin(find(token), operation, client, { beginOperation, limits }),
    stop: (token, operationId) => {
      const stream = find(token)
      const answers = stream.operations.get(operationId)
      stream.operations.delete(operationId)
      void answers?.return?.()
      rest(stream, limits)
    },
    size: counts.size,
    close: () => {
      for (const { queue } of [...streams.values()]) queue.end()
    },
  }
}

function newStream(unreadBytes: number, onClose: () => void): Stream {
  const stream: Stream = {
    isOpen: false,
    operations: new Map(),
    timer: undefined,
    queue: boundedQueue({
      capacity: SUBSCRIPTION_LIMITS.queue,
      room: { most: unreadBytes, weigh: (text) => text.length },
      overflow: () => new Error('the reader is too slow'),
      onClose: () => {
        clearTimeout(stream.timer)
        for (const answers of stream.operations.values()) void answers?.return?.()
        stream.operations.clear()
        onClose()
      },
    }),
  }
  return stream
}

function closeAfter(stream: Stream, milliseconds: number): void {
  clearTimeout(stream.timer)
  stream.timer = setTimeout(stream.queue.end, milliseconds).unref()
}

/** An open stream on which nothing is under way isn't kept for long. */
function rest(stream: Stream, { idleMs }: TransportLimits): void {
  if (!stream.isOpen) return
  if (stream.operations.size === 0) closeAfter(stream, idleMs)
  else clearTimeout(stream.timer)
}

async function* textsOf(
  { queue }: Stream,
  signal: AbortSignal,
  { heartbeatMs }: TransportLimits,
): AsyncGenerator<string> {
  signal.addEventListener('abort', queue.end, { once: true })
  if (signal.aborted) queue.end()
  try {
    // Some browsers don't consider a response open before its first bytes.
    yield ':\n\n'
    for await (const text of withHeartbeats(queue.values, heartbeatMs)) yield text ?? ':\n\n'
  } catch {
    // It was too slow: the client subscribes again, over another stream.
  } finally {
    signal.removeEventListener('abort', queue.end)
    queue.end()
  }
}

async function begin(
  stream: Stream,
  operation: Operation,
  client: string,
  { beginOperation, limits }: { beginOperation: BeginOperation; limits: TransportLimits },
) {
  const id = operationIdOf(operation)
  const { operations } = stream
  if (operations.has(id)) throw new StreamRefusal(409, 'an operation of this id is under way')
  if (operations.size >= limits.operations) {
    throw new StreamRefusal(429, `a stream has at most ${limits.operations} operations`)
  }
  operations.set(id, null)
  rest(stream, limits)
  const { answers, refused } = await beginOperation(operation, client)
  const isRequested = operations.get(id) === null
  if (answers && isRequested) {
    operations.set(id, answers)
    void pass(stream, id, answers).finally(() => rest(stream, limits))
  } else {
    // It was stopped, or its stream ended, before it had begun.
    void answers?.return?.()
    if (isRequested) operations.delete(id)
    rest(stream, limits)
  }
  return refused
}

async function pass({ queue, operations }: Stream, id: string, answers: Answers): Promise<void> {
  const send = (event: string, data: object) =>
    queue.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  try {
    for await (const payload of answers) send('next', { id, payload })
  } catch {
    // A failure is an answer too; only an abandoned operation ends without one.
  }
  if (operations.get(id) !== answers) return
  operations.delete(id)
  send('complete', { id })
}

function operationIdOf({ extensions }: Operation): string {
  const id = (extensions as { operationId?: unknown } | null | undefined)?.operationId
  if (typeof id === 'string' && id !== '' && id.length <= LONGEST_OPERATION_ID) return id
  throw new StreamRefusal(
    400,
    `extensions.operationId: expected 1 to ${LONGEST_OPERATION_ID} characters`,
  )
}
