import { randomBytes } from 'node:crypto'
import { type BoundedQueue, createBoundedQueue } from '../../http/limits/boundedQueue.ts'
import { createOpenStreamLimiter } from '../../http/limits/openStreamLimiter.ts'
import { withHeartbeats } from '../../http/withHeartbeats.ts'
import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'
import type { Answers, BeginOperation, Operation, Refusal } from './beginOperation.ts'
import { TRANSPORT_LIMITS, type TransportLimits } from './transportLimits.ts'

/** A request about a stream that is refused, with the HTTP status to answer. */
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
  /** Reserves a stream and returns its token. @throws StreamRefusal */
  reserve(client: string): string
  /** The stream's text until the signal aborts. @throws StreamRefusal for an unknown token or an open stream */
  open(token: string, signal: AbortSignal): AsyncGenerator<string>
  /**
   * Starts an operation, named by its `extensions.operationId`, whose answers come over the stream. Returns why
   * the operation was refused, or null. @throws StreamRefusal
   */
  run(token: string, operation: Operation, client: string): Promise<Refusal | null>
  /** Ends an operation, if it is still running. @throws StreamRefusal */
  stop(token: string, operationId: string): void
  /** Number of streams that are reserved or open. */
  size(): number
  /** Ends all streams. */
  close(): void
}

/** Stands for an operation until it has answers. A new one each time: an id can be reused once its operation is stopped. */
type Starting = { answers: null }

type Stream = {
  isOpen: boolean
  queue: BoundedQueue<string>
  /** By operation id. */
  operations: Map<string, { answers: Answers } | Starting>
  /** Closes the stream if it isn't opened, or carries no operation. */
  timer: NodeJS.Timeout | undefined
}

const MAX_OPERATION_ID_LENGTH = 100

export function createEventStreams(
  beginOperation: BeginOperation,
  limits: TransportLimits = TRANSPORT_LIMITS,
): EventStreams {
  const streams = new Map<string, Stream>()
  const counts = createOpenStreamLimiter(limits)
  const find = (token: string) => {
    const stream = streams.get(token)
    if (!stream) throw new StreamRefusal(404, 'no stream has this token: reserve one with PUT')
    return stream
  }
  return {
    reserve: (client) => {
      const leave = counts.take(client, () => stream.queue.end())
      if (typeof leave === 'string') {
        const words = leave === 'client' ? 'you have' : 'the server has'
        throw new StreamRefusal(429, `${words} too many open streams: try again later`)
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
      if (stream.isOpen) throw new StreamRefusal(409, 'this stream is already open')
      stream.isOpen = true
      closeIfIdle(stream, limits)
      return textOf(stream, signal, limits)
    },
    run: async (token, operation, client) =>
      startOperation(find(token), operation, client, { beginOperation, limits }),
    stop: (token, operationId) => {
      const stream = find(token)
      const stopped = stream.operations.get(operationId)
      stream.operations.delete(operationId)
      void stopped?.answers?.return?.()
      closeIfIdle(stream, limits)
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
    queue: createBoundedQueue({
      capacity: SUBSCRIPTION_LIMITS.queue,
      room: { most: unreadBytes, weigh: (text) => text.length },
      overflow: () => new Error('the reader is too slow'),
      onClose: () => {
        clearTimeout(stream.timer)
        for (const { answers } of stream.operations.values()) void answers?.return?.()
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

function closeIfIdle(stream: Stream, { idleMs }: TransportLimits): void {
  if (!stream.isOpen) return
  if (stream.operations.size === 0) closeAfter(stream, idleMs)
  else clearTimeout(stream.timer)
}

async function* textOf(
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
    // The reader was too slow. The client subscribes again over another stream.
  } finally {
    signal.removeEventListener('abort', queue.end)
    queue.end()
  }
}

async function startOperation(
  stream: Stream,
  operation: Operation,
  client: string,
  { beginOperation, limits }: { beginOperation: BeginOperation; limits: TransportLimits },
): Promise<Refusal | null> {
  const id = operationIdOf(operation)
  const { operations } = stream
  if (operations.has(id)) throw new StreamRefusal(409, 'an operation with this id is running')
  if (operations.size >= limits.operations) {
    throw new StreamRefusal(429, `a stream has at most ${limits.operations} operations`)
  }
  const starting: Starting = { answers: null }
  operations.set(id, starting)
  closeIfIdle(stream, limits)
  const { answers, refused } = await beginOperation(operation, client)
  // Meanwhile the operation may have been stopped, or its stream may have ended.
  const isRequested = operations.get(id) === starting
  if (answers && isRequested) {
    void forward(stream, id, answers).finally(() => closeIfIdle(stream, limits))
  } else {
    void answers?.return?.()
    if (isRequested) operations.delete(id)
    closeIfIdle(stream, limits)
  }
  return refused
}

async function forward({ queue, operations }: Stream, id: string, answers: Answers): Promise<void> {
  const running = { answers }
  operations.set(id, running)
  const send = (event: string, data: object) =>
    queue.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  try {
    for await (const payload of answers) send('next', { id, payload })
  } catch {
    // Failures come as answers. Only an abandoned operation throws.
  }
  if (operations.get(id) !== running) return
  operations.delete(id)
  send('complete', { id })
}

function operationIdOf({ extensions }: Operation): string {
  const id = (extensions as { operationId?: unknown } | null | undefined)?.operationId
  if (typeof id === 'string' && id !== '' && id.length <= MAX_OPERATION_ID_LENGTH) return id
  throw new StreamRefusal(
    400,
    `extensions.operationId: expected 1 to ${MAX_OPERATION_ID_LENGTH} characters`,
  )
}
