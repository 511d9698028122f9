import { connect, type Socket } from 'node:net'
import type { z } from 'zod'
import { EnclaveError, isEnclaveErrorCode } from '../enclaveError.ts'
import type { Enclave } from '../enclaveInterface.ts'
import { OPERATIONS, type OperationName } from '../operationSchemas.ts'
import { type Answer, answerSchema, type Call, type Priority } from './callSchema.ts'
import { createFrameReader, encodeFrame } from './messageFrames.ts'

type ConnectOptions = {
  /** Milliseconds that a call may take, including reconnections. Default 45,000. */
  timeoutMs?: number
  /** Milliseconds between attempts to connect. Default 100. */
  retryMs?: number
  /** Whether calls wait for an enclave that doesn't listen, or no longer. Default true. */
  reconnects?: boolean
  /** Of all calls. Default `normal`. */
  priority?: Priority
}

export type ConnectedEnclave = Enclave & { close(): void }

type Waiting = {
  /** The call as it is sent now: it tells the enclave how long its answer is still wanted. */
  frame(): Buffer
  operation: OperationName
  resolve(result: unknown): void
  reject(error: EnclaveError): void
}

/**
 * The enclave's interface over a Unix socket. Connects on first use, and again whenever the connection is lost; it then
 * repeats pending calls, which is harmless because the enclave keeps no state. A call without an answer in time rejects
 * with `ENCLAVE_UNREACHABLE`.
 */
export function connectEnclave(path: string, options: ConnectOptions = {}): ConnectedEnclave {
  const { timeoutMs = 45_000, retryMs = 100, reconnects = true, priority = 'normal' } = options
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let socket: Socket | null = null
  let retry: NodeJS.Timeout | null = null
  let isClosed = false

  function open(): void {
    retry = null
    if (isClosed || socket !== null || waiting.size === 0) return
    const opened = connect(path)
    socket = opened
    const read = createFrameReader()
    opened.on('connect', () => {
      for (const { frame } of waiting.values()) opened.write(frame())
    })
    opened.on('data', (piece) => {
      try {
        for (const message of read(piece)) take(answerSchema.parse(message))
      } catch {
        opened.destroy()
      }
    })
    opened.on('error', () => opened.destroy())
    opened.on('close', () => {
      socket = null
      if (!reconnects) rejectAll()
      else if (!isClosed && waiting.size > 0) retry ??= setTimeout(open, retryMs)
    })
  }

  function rejectAll(): void {
    for (const one of waiting.values()) one.reject(new EnclaveError('ENCLAVE_UNREACHABLE'))
    waiting.clear()
  }

  /** An idle connection doesn't keep the process alive. */
  function forget(id: number): void {
    waiting.delete(id)
    if (waiting.size === 0) socket?.unref()
  }

  function take(answer: Answer): void {
    const call = waiting.get(answer.id)
    if (call === undefined) return
    forget(answer.id)
    if (!answer.ok) {
      const code = isEnclaveErrorCode(answer.code) ? answer.code : 'ENCLAVE_FAILED'
      call.reject(new EnclaveError(code, answer.field))
      return
    }
    const result = parseKnown(OPERATIONS[call.operation].response, answer.result)
    if (result.success) call.resolve(result.data)
    else call.reject(new EnclaveError('ENCLAVE_FAILED'))
  }

  function call(operation: OperationName, request: unknown = {}): Promise<unknown> {
    if (isClosed) return Promise.reject(new EnclaveError('ENCLAVE_UNREACHABLE'))
    return new Promise((resolve, reject) => {
      const id = ++lastId
      const until = performance.now() + timeoutMs
      const frame = () => {
        const withinMs = Math.max(0, Math.round(until - performance.now()))
        return encodeCall({ id, operation, request, withinMs, priority })
      }
      const first = frame()
      const timer = setTimeout(() => {
        forget(id)
        reject(new EnclaveError('ENCLAVE_UNREACHABLE'))
      }, timeoutMs)
      const ending =
        <Value>(end: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(timer)
          end(value)
        }
      waiting.set(id, { frame, operation, resolve: ending(resolve), reject: ending(reject) })
      if (socket === null) {
        if (retry === null) open()
      } else {
        socket.ref()
        if (!socket.connecting) socket.write(first)
      }
    })
  }

  const names = Object.keys(OPERATIONS) as OperationName[]
  const operations = names.map((name) => [name, (request?: unknown) => call(name, request)])
  return {
    ...(Object.fromEntries(operations) as Enclave),
    close() {
      isClosed = true
      if (retry !== null) clearTimeout(retry)
      socket?.destroy()
      rejectAll()
    },
  }
}

function encodeCall(call: Call): Buffer {
  try {
    return encodeFrame(call)
  } catch {
    throw new EnclaveError('REQUEST_INVALID')
  }
}

/** Parses an answer without the fields that only a later version of the enclave knows. Changes `answer`. */
function parseKnown(schema: z.ZodType, answer: unknown): z.ZodSafeParseResult<unknown> {
  const parsed = schema.safeParse(answer)
  const issues = parsed.error?.issues ?? []
  if (issues.length === 0 || issues.some(({ code }) => code !== 'unrecognized_keys')) return parsed
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const holder = issue.path.reduce<unknown>(
      (value, key) => (value as Record<PropertyKey, unknown>)[key],
      answer,
    )
    for (const key of issue.keys) delete (holder as Record<string, unknown>)[key]
  }
  return schema.safeParse(answer)
}
