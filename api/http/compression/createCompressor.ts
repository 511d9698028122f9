import { hash } from 'node:crypto'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import { compress, type Encoding } from './encodings.ts'

/** Compresses answers, each once for as long as it is requested. */
export type Compressor = {
  /**
   * @param etag the body's strong entity tag, which names it; without one it is named by its hash
   * @returns at once if it was packed before
   */
  pack(
    body: string | Uint8Array,
    encoding: Encoding,
    etag: string | null,
  ): Buffer<ArrayBuffer> | Promise<Buffer<ArrayBuffer>>
  statistics(): { packed: number; hits: number; entries: number; bytes: number }
}

/** @param room bytes of packed answers that are kept */
export function createCompressor(room: number): Compressor {
  const kept = createLruCache<string, Buffer<ArrayBuffer>>(room)
  const underway = new Map<string, Promise<Buffer<ArrayBuffer>>>()
  let packed = 0
  let hits = 0
  const packOnce = async (key: string, body: string | Uint8Array, encoding: Encoding) => {
    packed += 1
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const small = await compress(bytes, encoding)
    kept.set(key, small, small.length + key.length)
    return small
  }
  return {
    pack: (body, encoding, etag) => {
      const key = `${encoding}:${etag ?? hash('sha1', body, 'base64url')}`
      const known = kept.get(key) ?? underway.get(key)
      if (known) {
        hits += 1
        return known
      }
      const work = packOnce(key, body, encoding).finally(() => underway.delete(key))
      underway.set(key, work)
      return work
    },
    statistics: () => ({ packed, hits, ...kept.statistics() }),
  }
}
