import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** Shorter bodies aren't worth compressing: they fit into one packet. */
export const MIN_COMPRESSED_BYTES = 1_024

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/**
 * The best encoding that a client accepts, given its `Accept-Encoding` (RFC 9110 §12.5.3); null: none.
 */
export function acceptedEncoding(header: string | null | undefined): Encoding | null {
  if (!header) return null
  const quality = new Map<string, number>()
  for (const entry of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const q = parameters.find((one) => one.startsWith('q='))
    quality.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0)
  }
  const of = (name: Encoding) => quality.get(name) ?? quality.get('*') ?? 0
  const [br, zipped] = [of('br'), of('gzip')]
  if (br <= 0 && zipped <= 0) return null
  return br >= zipped ? 'br' : 'gzip'
}

/**
 * Compresses bytes on a thread of libuv's pool. Brotli's quality 5 takes 0.3 s for 9 MB; the next levels take
 * up to 2 s to save 5 %.
 */
export async function compress(
  bytes: Uint8Array,
  encoding: Encoding,
): Promise<Buffer<ArrayBuffer>> {
  const packed =
    encoding === 'gzip'
      ? await zip(bytes)
      : await brotli(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 5,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
          },
        })
  return packed as Buffer<ArrayBuffer>
}

/**
 * Whether a content type is worth compressing. Event streams aren't: each event must be sent at once.
 */
export function isCompressible(contentType: string | null | undefined): boolean {
  return /^(application\/(json|graphql-response\+json|openapi\+json)|text\/(html|css|javascript|plain))\b/.test(
    contentType ?? '',
  )
}
