import type { MiddlewareHandler } from 'hono'
import type { ApiContext, ApiEnv } from '../apiEnv.ts'
import type { Compressor } from './createCompressor.ts'
import { acceptedEncoding, isCompressible, WORTH_BYTES } from './encodings.ts'

/** On every answer, packed or not: caches must know that there are several of it. */
export const VARY = 'accept-encoding'

/**
 * Packs what the app answers as its client takes it. Answers that no cache may keep stay as they are: the
 * size of a secret that is packed together with what a stranger sent tells of the secret.
 */
export function compressAnswers(compressor: Compressor): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await next()
    const { headers } = c.res
    if (!headers.get('vary')?.includes(VARY)) headers.append('vary', VARY)
    if (c.res.status !== 200 || c.req.method === 'HEAD' || !isToPack(headers)) return
    const encoding = acceptedEncoding(c.req.header('accept-encoding'))
    if (encoding === null) return
    const body = new Uint8Array(await c.res.arrayBuffer())
    const etag = headers.get('etag')
    if (body.byteLength < WORTH_BYTES) return replace(c, new Response(body, { headers }))
    const packed = await compressor.pack(body, encoding, etag)
    const answer = new Headers(headers)
    for (const [name, value] of Object.entries(packedHeaders(encoding, etag)))
      answer.set(name, value)
    answer.delete('content-length')
    replace(c, new Response(packed, { headers: answer }))
  }
}

/** Hono would write the former answer's headers over those of the new one. */
function replace(c: ApiContext, response: Response): void {
  c.res = undefined
  c.res = response
}

function isToPack(headers: Headers): boolean {
  return (
    isCompressible(headers.get('content-type')) &&
    !headers.has('content-encoding') &&
    !(headers.get('cache-control')?.includes('no-store') ?? false)
  )
}

/** What a packed answer says of itself. Its tag is a weak one: the bytes differ, what they say doesn't. */
export function packedHeaders(encoding: string, etag: string | null): Record<string, string> {
  const tag = etag === null || etag.startsWith('W/') ? etag : `W/${etag}`
  return { 'content-encoding': encoding, ...(tag !== null && { etag: tag }) }
}
