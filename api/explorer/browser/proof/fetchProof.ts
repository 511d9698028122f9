/** Maximum pages of a proof, 64 events each. */
const MOST_PAGES = 100

/** Milliseconds for each page: building a proof for the first time is slow. */
const PATIENCE = 60_000

/** The server's error, as it worded it. */
class ProofRefused extends Error {
  override readonly name = 'ProofRefused'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The pages of an intent's proof, unparsed. The verifier checks that none is missing. */
export async function fetchProof(origin: string, intentId: bigint): Promise<string[]> {
  const pages: string[] = []
  let cursor: string | null = null
  do {
    const url: URL = new URL(`/intents/${intentId}/proof`, origin)
    if (cursor !== null) url.searchParams.set('cursor', cursor)
    const page = await fetchText(url)
    pages.push(page)
    cursor = nextOf(page)
  } while (cursor !== null && pages.length < MOST_PAGES)
  return pages
}

async function fetchText(url: URL): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE)
  const answer = await fetch(url, { signal }).catch(() => {
    throw new ProofRefused('UNREACHABLE', 'this server didn’t answer: try again')
  })
  const text = await answer.text()
  if (answer.ok) return text
  const { code, error } = read(text) as { code?: unknown; error?: unknown }
  throw new ProofRefused(
    String(code ?? answer.status),
    String(error ?? 'this server gave no reason'),
  )
}

function nextOf(page: string): string | null {
  const { page: place } = read(page) as { page?: { next?: unknown } }
  return typeof place?.next === 'string' ? place.next : null
}

function read(text: string): object {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
