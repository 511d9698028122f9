import type { MiddlewareHandler } from 'hono'
import type { ApiContext, ApiEnv } from '../apiEnv.ts'
import type { Compressor } from './createCompressor.ts'
import { acceptedEncoding, isCompressible, WORTH_BYTES } from './encodings.ts'

/** On every answer, compressed or not: caches must know that there are several forms. */
export const VARY = 'accept-encoding'

/**
 * Compresses the app's answers as the client accepts. Answers that no cache may keep stay as they are:
 * when a secret is compressed together with a stranger's input, the size reveals something of the secret.
 */
export function compressResponses(compressor: Compressor): MiddlewareHandler<ApiEnv> {
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

/** The headers of a compressed answer. Its tag is weak: the bytes differ, the content doesn't. */
export function packedHeaders(encoding: string, etag: string | null): Record<string, string> {
  const tag = etag === null || etag.startsWith('W/') ? etag : `W/${etag}`
  return { 'content-encoding': encoding, ...(tag !== null && { etag: tag }) }
}
