import { ApiError, BadRequestError } from './apiError.ts'
import type { ApiContext } from './honoEnvironment.ts'

/** Maximum size of a request body, in bytes. */
const BODY_LIMIT = 64 * 1024

/** The request's JSON body. `limitBody` has checked its size. */
export async function readJsonBody(c: ApiContext, isOptional = false): Promise<unknown> {
  const text = await c.req.text()
  if (isOptional && text === '') return {}
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    const words = 'expected content-type: application/json'
    throw new ApiError(words, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequestError('the body is not JSON', 'INVALID_JSON')
  }
}

/**
 * Middleware that limits the body's size. A body with a declared length is refused before it is read, a chunked
 * one once it exceeds the limit.
 */
export async function limitBody(c: ApiContext, next: () => Promise<void>): Promise<void> {
  const { raw } = c.req
  const method = c.req.method
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return next()
  const length = raw.headers.get('content-length')
  if (length !== null) {
    if (Number(length) > BODY_LIMIT) throw tooLarge()
    return next()
  }
  if (raw.body === null) return next()
  const bytes = await readLimited(raw.body)
  c.req.raw = new Request(raw, { body: bytes })
  return next()
}

async function readLimited(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    if (size > BODY_LIMIT) throw tooLarge()
    parts.push(part.value)
  }
  return new Uint8Array(Buffer.concat(parts))
}

function tooLarge(): ApiError {
  const words = `the body is larger than ${BODY_LIMIT} bytes`
  return new ApiError(words, { status: 413, code: 'PAYLOAD_TOO_LARGE' })
}
