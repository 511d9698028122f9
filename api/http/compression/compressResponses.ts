import type { MiddlewareHandler } from 'hono'
import type { ApiContext, ApiEnv } from '../honoEnvironment.ts'
import type { Compressor } from './createCompressor.ts'
import { acceptedEncoding, isCompressible, MIN_COMPRESSED_BYTES } from './encodings.ts'

/** Sent with every response, compressed or not, so that caches keep the variants apart. */
export const VARY = 'accept-encoding'

/**
 * Compresses responses as the client accepts. `no-store` responses stay uncompressed, because they may contain
 * secrets: compressed together with an attacker's input, a secret can be guessed from the size (BREACH).
 */
export function compressResponses(compressor: Compressor): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await next()
    const { headers } = c.res
    if (!headers.get('vary')?.includes(VARY)) headers.append('vary', VARY)
    if (c.res.status !== 200 || c.req.method === 'HEAD' || !shouldCompress(headers)) return
    const encoding = acceptedEncoding(c.req.header('accept-encoding'))
    if (encoding === null) return
    const body = new Uint8Array(await c.res.arrayBuffer())
    const etag = headers.get('etag')
    if (body.byteLength < MIN_COMPRESSED_BYTES) return replace(c, new Response(body, { headers }))
    const compressed = await compressor.compress(body, encoding, etag)
    const answer = new Headers(headers)
    for (const [name, value] of Object.entries(compressedHeaders(encoding, etag)))
      answer.set(name, value)
    answer.delete('content-length')
    replace(c, new Response(compressed, { headers: answer }))
  }
}

/** Assigning directly would let Hono copy the old response's headers over the new ones. */
function replace(c: ApiContext, response: Response): void {
  c.res = undefined
  c.res = response
}

function shouldCompress(headers: Headers): boolean {
  return (
    isCompressible(headers.get('content-type')) &&
    !headers.has('content-encoding') &&
    !(headers.get('cache-control')?.includes('no-store') ?? false)
  )
}

/** A compressed response's headers. The entity tag becomes weak: same content, different bytes. */
export function compressedHeaders(encoding: string, etag: string | null): Record<string, string> {
  const tag = etag === null || etag.startsWith('W/') ? etag : `W/${etag}`
  return { 'content-encoding': encoding, ...(tag !== null && { etag: tag }) }
}
