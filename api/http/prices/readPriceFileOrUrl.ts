import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { readBodyWithin } from '../../../services/chain/readBodyWithin.ts'

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
  return textOf(response.body).catch((error: unknown) => {
    throw error instanceof PriceSourceError ? error : unanswered()
  })
}

async function textOf(body: Parameters<typeof readBodyWithin>[0]): Promise<string> {
  const read = await readBodyWithin(body, MAX_BYTES)
  if (read === null) throw new PriceSourceError('the document is longer than a megabyte')
  return read.toString()
}

function unanswered(): PriceSourceError {
  return new PriceSourceError('the server did not answer completely')
}
