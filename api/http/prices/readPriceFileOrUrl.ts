import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Maximum size of a document. */
const MAX_BYTES = 1_048_576

/** Prices couldn't be read. The message contains no path, URL or content. */
export class PriceSourceError extends Error {
  override name = 'PriceSourceError'
}

/**
 * Reads the document from a file, or from an http(s) URL, which may contain an API key. The signal aborts HTTP
 * only; reading a file on a disconnected disk may hang.
 */
export function readPriceFileOrUrl(from: string, signal: AbortSignal): Promise<string> {
  return /^https?:\/\//i.test(from) ? overHttp(from, signal) : fromFile(from)
}

/** Opens without blocking, since opening a pipe or a device could block forever, and then requires a file. */
async function fromFile(path: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw new PriceSourceError(`the file can’t be opened (${error.code ?? 'unknown'})`)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new PriceSourceError('it is not a regular file')
    return await textOf(file.createReadStream({ autoClose: false }))
  } finally {
    await file.close()
  }
}

async function overHttp(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, {
    signal,
    redirect: 'error',
    headers: { accept: 'application/json' },
  }).catch(() => {
    throw unanswered()
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new PriceSourceError(`the server answered ${response.status}`)
  }
  const body = response.body as AsyncIterable<Uint8Array> | null
  return textOf(body ?? []).catch((error: unknown) => {
    throw error instanceof PriceSourceError ? error : unanswered()
  })
}

async function textOf(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = []
  let size = 0
  for await (const part of parts) {
    size += part.byteLength
    if (size > MAX_BYTES) throw new PriceSourceError('the document is longer than a megabyte')
    read.push(part)
  }
  return Buffer.concat(read).toString('utf8')
}

function unanswered(): PriceSourceError {
  return new PriceSourceError('the server did not answer completely')
}
