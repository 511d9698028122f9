import { hash } from 'node:crypto'
import { acceptedEncoding, compress, type Encoding } from './encodings.ts'

/** A file that doesn't change while the process runs. */
export type StaticFile = {
  /** Compresses it in advance, so that no request waits for that. Idempotent. */
  prepare(): Promise<void>
  /** Answers a request for it, with 304 if the client has it. */
  answer(request: Request): Promise<Response>
}

type Parts = { plain: Uint8Array<ArrayBuffer>; etag: string }

/**
 * @param headers of the response, including its content type
 * @param load called on first use
 */
export function createStaticFile(
  headers: Record<string, string>,
  load: () => Promise<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer>,
): StaticFile {
  const parts = once(async (): Promise<Parts> => {
    const plain = await load()
    return { plain, etag: `W/"${hash('sha1', plain, 'base64url')}"` }
  })
  const packed = {
    br: once(async () => compress((await parts()).plain, 'br')),
    gzip: once(async () => compress((await parts()).plain, 'gzip')),
  } satisfies Record<Encoding, unknown>
  return {
    prepare: async () => void (await packed.br()),
    answer: async (request) => {
      const { plain, etag } = await parts()
      const common = { vary: 'accept-encoding', ...headers, etag }
      if (request.headers.get('if-none-match')?.includes(etag.slice(2)))
        return new Response(null, { status: 304, headers: common })
      const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
      if (encoding === null) return new Response(plain, { headers: common })
      const answer = { ...common, 'content-encoding': encoding }
      return new Response(await packed[encoding](), { headers: answer })
    },
  }
}

/** Memoizes; after a failure the next call retries. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let making: Promise<Value> | null = null
  return () => {
    making ??= make().catch((error: unknown) => {
      making = null
      throw error
    })
    return making
  }
}
