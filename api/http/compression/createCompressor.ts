import { hash } from 'node:crypto'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import { compress, type Encoding } from './encodings.ts'

/** Compresses responses and caches the result. */
export type Compressor = {
  /**
   * @param etag the body's strong entity tag, used as the cache key; null: the body's hash is used
   * @returns synchronously if it is cached
   */
  compress(
    body: string | Uint8Array,
    encoding: Encoding,
    etag: string | null,
  ): Buffer<ArrayBuffer> | Promise<Buffer<ArrayBuffer>>
}

/** @param maxBytes of cached compressed bodies */
export function createCompressor(maxBytes: number): Compressor {
  const cache = createLruCache<string, Buffer<ArrayBuffer>>(maxBytes)
  const running = new Map<string, Promise<Buffer<ArrayBuffer>>>()
  const compressAndCache = async (key: string, body: string | Uint8Array, encoding: Encoding) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    // A copy: a short result is a slice of Node's pool, and would keep all 64 kB of it in memory.
    const small = Buffer.from(new Uint8Array(await compress(bytes, encoding)).buffer)
    cache.set(key, small, small.length + key.length)
    return small
  }
  return {
    compress: (body, encoding, etag) => {
      const key = `${encoding}:${etag ?? hash('sha1', body, 'base64url')}`
      const known = cache.get(key) ?? running.get(key)
      if (known) return known
      const work = compressAndCache(key, body, encoding).finally(() => running.delete(key))
      running.set(key, work)
      return work
    },
  }
}
