import type { IncomingMessage, ServerResponse } from 'node:http'
import { readingFor } from '../../services/store/database/fairShares.ts'
import { RateLimitedError } from './apiError.ts'
import { EXPOSED, type Failure } from './baseApp.ts'
import { compressedHeaders, VARY } from './compression/compressResponses.ts'
import type { Compressor } from './compression/createCompressor.ts'
import { acceptedEncoding, MIN_COMPRESSED_BYTES } from './compression/encodings.ts'
import type { Body } from './conditionalResponse.ts'
import { errorBody, errorHeaders } from './errorResponse.ts'
import type { IsTrustedProxy } from './limits/clientAddress.ts'
import type { RateLimitDecision } from './limits/rateLimit.ts'
import { addressOfRequest, type RequestGate } from './limits/requestGate.ts'
import type { RequestMeter } from './metrics.ts'
import { chooseRequestId } from './requestId.ts'
import { DENY_ALL_POLICY } from './setSecurityHeaders.ts'
import { toApiError } from './toApiError.ts'

/** A response, without the headers that all responses have. A 304 has no body. */
export type FastPathAnswer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: Body | null
  /** The body's size, if known. */
  bytes?: number
}

/** An endpoint so frequently requested that it bypasses the app. */
export type FastPathEndpoint = {
  /** Its name in metrics and logs. */
  route: string
  /**
   * The handler for a request, or null to leave it to the app. Called when the headers have been read; must
   * not read the body.
   */
  handlerFor(request: IncomingMessage): FastPathHandler | null
}

/** Answers, or returns null to leave the request to the app. Errors are reported as by the app. */
type FastPathHandler = (client: string) => FastPathAnswer | null | Promise<FastPathAnswer | null>

/** Answers a request, or passes it to the app, synchronously or later. */
export type FastPath = (
  request: IncomingMessage,
  response: ServerResponse,
  passToApp: () => void,
) => void

type FastPathOptions = {
  endpoints: readonly FastPathEndpoint[]
  gate: RequestGate
  isTrustedProxy: IsTrustedProxy
  meter: RequestMeter
  compressor: Compressor
  onFailure: (failure: Failure) => void
}

/**
 * Serves the most requested endpoints without the app: same limits, request ids, metrics, errors and headers,
 * but no `Request` and `Response` objects, which cost several times as much as the answer itself. Unusual
 * requests go to the app.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  return (request, response, passToApp) => {
    if (!isPlain(request)) return passToApp()
    for (const { route, handlerFor } of options.endpoints) {
      const handler = handlerFor(request)
      if (handler) return serve(options, { route, handler, request, response, passToApp })
    }
    return passToApp()
  }
}

/** Ordinary host names and ports. The app validates all others. */
const HOST = /^[a-z0-9.-]+(:\d{1,5})?$/

function isPlain({ method, headers }: IncomingMessage): boolean {
  if (headers.host === undefined || !HOST.test(headers.host)) return false
  if (headers.upgrade !== undefined || headers['transfer-encoding'] !== undefined) return false
  return method === 'GET' ? headers['content-length'] === undefined : method === 'POST'
}

type Exchange = {
  route: string
  handler: FastPathHandler
  request: IncomingMessage
  response: ServerResponse
  passToApp: () => void
}

function serve(
  { gate, isTrustedProxy, meter, compressor, onFailure }: FastPathOptions,
  { route, handler, request, response, passToApp }: Exchange,
): void {
  const begun = performance.now()
  const method = request.method as string
  const client = addressOfRequest(request, isTrustedProxy)
  const decision = gate.take('reads', client, request)
  const requestId = chooseRequestId(request.headers['x-request-id'] as string | undefined)
  const finish = (answer: FastPathAnswer | null, code?: string) => {
    if (answer === null) return passToApp()
    const compressed = compress(compressor, request, answer)
    if (compressed instanceof Promise)
      compressed.then(
        (one) => send(one, code),
        () => send(answer, code),
      )
    else send(compressed, code)
  }
  const send = (answer: Sent, code?: string) => {
    write(response, answer, requestId, decision)
    const milliseconds = performance.now() - begun
    meter({ requestId, route, method, status: answer.status, milliseconds, code })
  }
  const fail = (thrown: unknown) => {
    const error = toApiError(thrown)
    if (error.status >= 500) onFailure({ requestId, method, route, error })
    const { status, code } = error
    finish({ status, headers: errorHeaders(error), body: errorBody(error, requestId) }, code)
  }
  try {
    if (!decision.allowed) throw new RateLimitedError(decision.retrySeconds, decision)
    const answer = readingFor(client, () => handler(client))
    if (answer instanceof Promise) answer.then((one) => finish(one), fail)
    else finish(answer)
  } catch (error) {
    fail(error)
  }
}

/** The headers that the app's middleware sets on each response. */
const COMMON_HEADERS = [
  ...['access-control-allow-origin', '*'],
  ...['access-control-expose-headers', EXPOSED.join(',')],
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', 'no-referrer'],
  ...['cross-origin-resource-policy', 'cross-origin'],
  ...['content-security-policy', DENY_ALL_POLICY],
  ...['vary', VARY],
]

/** An answer whose body may be compressed. */
type Sent = Omit<FastPathAnswer, 'body'> & { body: Body | Buffer | null }

/** The answer, with its body compressed as the client accepts. */
function compress(
  compressor: Compressor,
  request: IncomingMessage,
  answer: FastPathAnswer,
): Sent | Promise<Sent> {
  const { status, body, bytes = body?.length ?? 0, headers } = answer
  if (status !== 200 || body === null || bytes < MIN_COMPRESSED_BYTES) return answer
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  if (encoding === null) return answer
  const etag = headers.etag ?? null
  const own = { ...headers, ...compressedHeaders(encoding, etag) }
  const withBody = (buffer: Buffer) => ({
    status,
    headers: own,
    body: buffer,
    bytes: buffer.length,
  })
  const compressed = compressor.compress(body, encoding, etag)
  return compressed instanceof Promise ? compressed.then(withBody) : withBody(compressed)
}

function headLines(
  headers: Readonly<Record<string, string>>,
  requestId: string,
  { policy, limit }: RateLimitDecision,
  bytes: number | null,
): string[] {
  const lines = [...COMMON_HEADERS]
  // A refusal already describes the limit that it exceeded.
  if (headers.ratelimit === undefined) lines.push('ratelimit-policy', policy, 'ratelimit', limit)
  lines.push('x-request-id', requestId)
  for (const name in headers) lines.push(name, headers[name] as string)
  if (bytes !== null) lines.push('content-length', String(bytes))
  return lines
}

function write(
  response: ServerResponse,
  { status, headers, body, bytes = body === null ? 0 : Buffer.byteLength(body) }: Sent,
  requestId: string,
  decision: RateLimitDecision,
): void {
  response.writeHead(status, headLines(headers, requestId, decision, body === null ? null : bytes))
  // ASCII is sent in one write with the headers, and copied without encoding.
  if (typeof body === 'string' && bytes === body.length) response.end(body, 'latin1')
  else response.end(body)
}
