import { RelayerError } from '../index.ts'
import { atPace } from '../relayer/atPace.ts'
import { buildServiceUrl } from '../relayer/buildServiceUrl.ts'
import { describeWrongBaseUrl } from '../relayer/describeWrongBaseUrl.ts'
import { readText } from '../relayer/readText.ts'
import { refuseRedirect } from '../relayer/refuseRedirect.ts'

/** Maximum number of pages, of 64 events each. */
const MAX_PAGES = 100

/** Characters after which no further page is fetched. */
const MAX_LENGTH = 64 * 1024 * 1024

/** For a further page: a relayer has to read up to 64 blocks for each, and allows one client two a second. */
const PAGE_PACE = { attempts: 5, pauseMs: 10_000 }

/**
 * Fetches all pages of an intent's proof, unparsed. The verifier notices a missing page.
 *
 * @param timeoutMs for each page
 * @throws RelayerError
 */
export async function fetchProof(
  baseUrl: string,
  intentId: bigint,
  timeoutMs: number,
): Promise<string[]> {
  const pages: string[] = []
  let length = 0
  let cursor: string | null = null
  do {
    const query: { cursor?: string } = cursor === null ? {} : { cursor }
    const url = buildServiceUrl(baseUrl, `/intents/${intentId}/proof`, query)
    const read = () => fetchText(url, timeoutMs)
    const page = await (cursor === null ? read() : atPace(PAGE_PACE, read))
    pages.push(page)
    length += page.length
    const next = parseNextCursor(page)
    cursor = next === cursor ? null : next
  } while (cursor !== null && pages.length < MAX_PAGES && length < MAX_LENGTH)
  return pages
}

async function fetchText(url: URL, timeoutMs: number): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  const answer = async () => {
    const response = await fetch(url, { signal, redirect: 'manual' })
    refuseRedirect(response, url, 'the relayer')
    return { response, text: await readText(response) }
  }
  const { response, text } = await answer().catch((cause: unknown) => {
    if (cause instanceof RelayerError) throw cause
    const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
    const code = isTimeout ? 'REQUEST_TIMEOUT' : 'TACHYON_API_UNREACHABLE'
    const message = `the relayer at ${url.origin} did not answer: check baseUrl, or retry`
    throw new RelayerError({ code, message, status: 0 }, { cause })
  })
  if (text === null) {
    const message = `the relayer at ${url.origin} sends a proof without end`
    throw new RelayerError({ code: 'ANSWER_INVALID', message, status: response.status })
  }
  if (response.ok) return text
  const { error = 'no reason was given', code = 'UNKNOWN' } = parseObject(text)
  const { status } = response
  const failure = { status, code: String(code) }
  const message = describeWrongBaseUrl(failure, url, 'the relayer') ?? String(error)
  throw new RelayerError({ ...failure, message })
}

function parseNextCursor(page: string): string | null {
  const { next } = Object(parseObject(page).page) as { next?: unknown }
  return typeof next === 'string' ? next : null
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
