import type { ApiContext } from './apiEnv.ts'
import { ApiError, BadRequestError } from './apiError.ts'

/** Bytes that a request's body may have. */
const BODY_LIMIT = 64 * 1024

/**
 * Refuses a body that says it is too large before anything of it is read; one that doesn't say its
 * size is refused when it turns out to be.
 */
export async function readJson(c: ApiContext, isOptional = false): Promise<unknown> {
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

/** Checks the size for every endpoint, like middleware. */
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
