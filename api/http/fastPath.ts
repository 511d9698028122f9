import type { IncomingMessage, ServerResponse } from 'node:http'
import { readingFor } from '../../services/store/database/fairShare.ts'
import { RateLimitedError } from './apiError.ts'
import { EXPOSED, type Failure } from './baseApp.ts'
import { packedHeaders, VARY } from './compression/compressResponses.ts'
import type { Compressor } from './compression/createCompressor.ts'
import { acceptedEncoding, type Encoding, WORTH_BYTES } from './compression/encodings.ts'
import type { Body } from './conditionalResponse.ts'
import { errorBody, errorHeaders } from './errorResponse.ts'
import type { Trusts } from './limits/clientAddress.ts'
import type { Passage } from './limits/rateLimit.ts'
import { addressOfRequest, type RequestGate } from './limits/requestGate.ts'
import type { RequestMeter } from './metrics.ts'
import { requestIdFrom } from './requestId.ts'
import { NOTHING } from './securityHeaders.ts'
import { toApiError } from './toApiError.ts'

/** An answer without what every answer carries. No body: a 304. */
export type FastPathAnswer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: Body | null
  /** The body's size, if it is known. */
  bytes?: number
}

/** An endpoint that is requested so often that it bypasses the app. */
export type FastPathEndpoint = {
  /** Its name in metrics and failures. */
  route: string
  /**
   * How to answer this request, or null when the app should. Called once the request's head is
   * read; it must not read the body.
   */
  open(request: IncomingMessage): Work | null
}

/** Answers, or returns null when the app should after all. What it throws is reported as the app would. */
type Work = (client: string) => FastPathAnswer | null | Promise<FastPathAnswer | null>

/** Takes a request, or leaves it to the app, at once or later. */
export type FastPath = (
  request: IncomingMessage,
  response: ServerResponse,
  leaveToApp: () => void,
) => void

type FastPathOptions = {
  endpoints: readonly FastPathEndpoint[]
  gate: RequestGate
  trusts: Trusts
  meter: RequestMeter
  compressor: Compressor
  onFailure: (failure: Failure) => void
}

/**
 * A path around the app for the few endpoints that are requested most: same limits, ids, metrics,
 * errors and headers, without the web standard's request objects, which cost several times the answer
 * itself. Unusual requests are left to the app.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  return (request, response, leaveToApp) => {
    if (!isPlain(request)) return leaveToApp()
    for (const { route, open } of options.endpoints) {
      const work = open(request)
      if (work) return serve(options, { route, work, request, response, leaveToApp })
    }
    return leaveToApp()
  }
}

/** Usual host names and ports; the app judges all others. */
const HOST = /^[a-z0-9.-]+(:\d{1,5})?$/

function isPlain({ method, headers }: IncomingMessage): boolean {
  if (headers.host === undefined || !HOST.test(headers.host)) return false
  if (headers.upgrade !== undefined || headers['transfer-encoding'] !== undefined) return false
  return method === 'GET' ? headers['content-length'] === undefined : method === 'POST'
}

type Exchange = {
  route: string
  work: Work
  request: IncomingMessage
  response: ServerResponse
  leaveToApp: () => void
}

function serve(
  { gate, trusts, meter, compressor, onFailure }: FastPathOptions,
  { route, work, request, response, leaveToApp }: Exchange,
): void {
  const begun = performance.now()
  const method = request.method as string
  const client = addressOfRequest(request, trusts)
  const passage = gate.pass('reads', client, request)
  const requestId = requestIdFrom(headerOf(request, 'x-request-id'))
  const finish = (answer: FastPathAnswer | null, code?: string) => {
    if (answer === null) return leaveToApp()
    const packed = pack(compressor, request, answer)
    if (packed instanceof Promise)
      packed.then(
        (body) => send(answer, body, code),
        () => send(answer, null, code),
      )
    else send(answer, packed, code)
  }
  const send = (answer: FastPathAnswer, packed: Packed | null, code?: string) => {
    if (packed) writePacked(response, answer, packed, requestId, passage)
    else write(response, answer, requestId, passage)
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
    if (!passage.allowed) throw new RateLimitedError(passage.retrySeconds, passage)
    const answer = readingFor(client, () => work(client))
    if (answer instanceof Promise) answer.then((one) => finish(one), fail)
    else finish(answer)
  } catch (error) {
    fail(error)
  }
}

/** A header that isn't a list: Node joins repeated ones as the web standard does. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const ALWAYS = [
  ...['access-control-allow-origin', '*'],
  ...['access-control-expose-headers', EXPOSED.join(',')],
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', 'no-referrer'],
  ...['cross-origin-resource-policy', 'cross-origin'],
  ...['content-security-policy', NOTHING],
  ...['vary', VARY],
]

type Packed = { body: Buffer; encoding: Encoding }

/** The answer's body, compressed as its client accepts; null if uncompressed. */
function pack(
  compressor: Compressor,
  { headers }: IncomingMessage,
  { status, body, bytes, headers: own }: FastPathAnswer,
): Packed | Promise<Packed> | null {
  if (status !== 200 || body === null || (bytes ?? body.length) < WORTH_BYTES) return null
  const accepted = headers['accept-encoding']
  const encoding = acceptedEncoding(Array.isArray(accepted) ? accepted.join(', ') : accepted)
  if (encoding === null) return null
  const packed = compressor.pack(body, encoding, own.etag ?? null)
  return packed instanceof Promise
    ? packed.then((buffer) => ({ body: buffer, encoding }))
    : { body: packed, encoding }
}

function writePacked(
  response: ServerResponse,
  { status, headers }: FastPathAnswer,
  { body, encoding }: Packed,
  requestId: string,
  passage: Passage,
): void {
  const own = { ...headers, ...packedHeaders(encoding, headers.etag ?? null) }
  response.writeHead(status, headLines(own, requestId, passage, body.length))
  response.end(body)
}

function headLines(
  headers: Readonly<Record<string, string>>,
  requestId: string,
  { policy, limit }: Passage,
  bytes: number | null,
): string[] {
  const lines = [...ALWAYS]
  // A refusal describes the limit that ran out itself.
  if (headers.ratelimit === undefined) lines.push('ratelimit-policy', policy, 'ratelimit', limit)
  lines.push('x-request-id', requestId)
  for (const name in headers) lines.push(name, headers[name] as string)
  if (bytes !== null) lines.push('content-length', String(bytes))
  return lines
}

function write(
  response: ServerResponse,
  { status, headers, body, bytes = body === null ? 0 : Buffer.byteLength(body) }: FastPathAnswer,
  requestId: string,
  passage: Passage,
): void {
  response.writeHead(status, headLines(headers, requestId, passage, body === null ? null : bytes))
  // One-byte text is sent together with the head, copied without encoding.
  if (typeof body === 'string' && bytes === body.length) response.end(body, 'latin1')
  else response.end(body)
}
