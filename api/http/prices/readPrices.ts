import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Bytes of a document at most. */
const MOST_BYTES = 1_048_576

/** A place that prices couldn't be read from. Its message names no path, no URL and no content. */
export class PriceSourceError extends Error {
  override name = 'PriceSourceError'
}

/**
 * Reads the document, a megabyte at most: from a file, or by HTTP from a URL, which may hold a key. The
 * signal ends only HTTP; a file on a lost disk may hang.
 */
export function readPrices(from: string, signal: AbortSignal): Promise<string> {
  return /^https?:\/\//i.test(from) ? overHttp(from, signal) : fromFile(from)
}

/** A file that isn't one (a pipe, a device) could be waited for without end: it isn't even opened so. */
async function fromFile(path: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw new PriceSourceError(`the file can’t be opened (${error.code ?? 'unknown'})`)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new PriceSourceError('it is not a file')
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
    if (size > MOST_BYTES) throw new PriceSourceError('the document is longer than a megabyte')
    read.push(part)
  }
  return Buffer.concat(read).toString('utf8')
}

function unanswered(): PriceSourceError {
  return new PriceSourceError('the server did not answer, or not in full')
}
