import * as z from 'zod/mini'
import { buildServiceUrl, type Query } from './buildServiceUrl.ts'
import { describeWrongBaseUrl } from './describeWrongBaseUrl.ts'
import { readText } from './readText.ts'
import { refuseRedirect } from './refuseRedirect.ts'
import type { RelayerAddress } from './relayerAddress.ts'
import { RelayerError } from './relayerError.ts'

export type RelayerRequest = {
  method?: 'GET' | 'POST'
  path: string
  query?: Query
  headers?: Record<string, string>
  body?: object
  /** Timeout in milliseconds for slow requests; never less than the address's. */
  timeoutMs?: number
  /** Ends the request, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Programs log what a relayer says, each time: at most this many characters of it. */
const MOST_WORDS = 2_000

const failureSchema = z.looseObject({
  error: z.catch(z.string(), 'no reason was given'),
  code: z.catch(z.string().check(z.regex(/^\w{1,64}$/)), 'UNKNOWN'),
  requestId: z.catch(z.nullable(z.string()), null),
  /** Facts, or a list of the request's problems. */
  details: z.catch(
    z.union([
      z.record(z.string(), z.unknown()),
      z.pipe(
        z.array(z.unknown()),
        z.transform((problems) => ({ problems })),
      ),
    ]),
    {},
  ),
})

/**
 * Sends a request to the relayer and checks the shape of its answer.
 *
 * @throws RelayerError when the relayer is unreachable, refuses, or returns an unexpected answer; the signal's reason
 */
export async function requestRelayer<Answer>(
  address: RelayerAddress,
  request: RelayerRequest,
  schema: z.ZodMiniType<Answer>,
): Promise<Answer> {
  const { answer } = await requestIfChanged(address, request, schema)
  if (answer === null)
    throw new RelayerError({ code: 'ANSWER_INVALID', message: 'no answer', status: 304 })
  return answer
}

/** The same; `answer` is null when it still matches `If-None-Match` in the request's headers. */
export async function requestIfChanged<Answer>(
  { baseUrl, requestTimeoutMs = 10_000, service = 'the relayer' }: RelayerAddress,
  request: RelayerRequest,
  schema: z.ZodMiniType<Answer>,
): Promise<{ answer: Answer | null; etag: string | null }> {
  const timeoutMs = Math.max(requestTimeoutMs, request.timeoutMs ?? 0)
  const url = buildServiceUrl(baseUrl, request.path, request.query)
  const { response, text } = await send(url, request, { timeoutMs, service })
  if (text === null) {
    const message = `${service} at ${url.origin} answered ${request.path} without end`
    throw new RelayerError({ code: 'ANSWER_INVALID', message, status: response.status })
  }
  const etag = response.headers.get('etag')
  if (response.status === 304) return { answer: null, etag }
  const body = parseJson(text)
  if (!response.ok) {
    const { error, ...failure } = failureSchema.parse(typeof body === 'object' ? { ...body } : {})
    const { status } = response
    const retryAfterSeconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
    if (retryAfterSeconds >= 0) failure.details = { ...failure.details, retryAfterSeconds }
    const message =
      describeWrongBaseUrl({ status, ...failure }, url, service) ?? error.slice(0, MOST_WORDS)
    throw new RelayerError({ ...failure, message, status })
  }
  const parsed = schema.safeParse(body)
  if (parsed.success) return { answer: parsed.data, etag }
  const message = `${service} at ${url.origin} answered ${request.path} in an unexpected form: check baseUrl`
  throw new RelayerError({ code: 'ANSWER_INVALID', message, status: response.status })
}

/** The value of a JSON text; null if it isn't one. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Sends a request and reads the whole answer: a connection that breaks halfway is an outage too. */
async function send(
  url: URL,
  request: RelayerRequest,
  { timeoutMs, service }: { timeoutMs: number; service: string },
): Promise<{ response: Response; text: string | null }> {
  const { method = 'GET', headers = {}, body, signal } = request
  const timeout = AbortSignal.timeout(timeoutMs)
  // Outside the try: a body that can't be serialized is the caller's mistake, not an outage.
  const sent = body && JSON.stringify(body)
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(sent && { body: sent }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      redirect: 'manual',
    })
    refuseRedirect(response, url, service)
    return { response, text: await readText(response) }
  } catch (cause) {
    if (cause instanceof RelayerError) throw cause
    signal?.throwIfAborted()
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
    const code = isTimeout ? 'REQUEST_TIMEOUT' : 'TACHYON_API_UNREACHABLE'
    const message = `${service} at ${url.origin} did not answer: check baseUrl, or retry`
    throw new RelayerError({ code, message, status: 0 }, { cause })
  }
}
