import type { ApiContext } from './apiEnv.ts'
import { BadRequestError, MediaTypeError, PayloadTooLargeError } from './apiError.ts'

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
  if (type !== 'application/json') throw new MediaTypeError()
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
    if (Number(length) > BODY_LIMIT) throw new PayloadTooLargeError(BODY_LIMIT)
    return next()
  }
  if (raw.body === null) return next()
  const bytes = await readWithin(raw.body, BODY_LIMIT)
  c.req.raw = new Request(raw, { body: bytes })
  return next()
}

async function readWithin(
  stream: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    if (size > limit) throw new PayloadTooLargeError(limit)
    parts.push(part.value)
  }
  return new Uint8Array(Buffer.concat(parts))
}
