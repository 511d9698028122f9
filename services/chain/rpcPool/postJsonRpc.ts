import { RpcError } from './rpcError.ts'

/** Milliseconds of a `Retry-After` header in seconds or as a date; undefined when absent or unreadable. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 60_000) : undefined
}

/**
 * Posts one JSON-RPC document (a request or a batch) and returns the parsed answer.
 *
 * Error messages never contain the URL: it may hold an API key.
 *
 * @param mostBytes of an answer, uncompressed; reading ends there
 * @throws RpcError `unreachable`, `rate-limited`, `refused` (HTTP 413: too large a batch), or `oversized`.
 */
export async function postJsonRpc(
  url: string,
  document: unknown,
  {
    timeoutMs,
    signal,
    mostBytes,
  }: { timeoutMs: number; signal?: AbortSignal | undefined; mostBytes: number },
): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response
  let text: string | null
  try {
    const { target, authorization } = withoutCredentials(url)
    response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify(document),
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    })
    text = await readWithin(response, mostBytes)
  } catch (error) {
    signal?.throwIfAborted()
    const why = timeout.aborted ? `no answer within ${timeoutMs} ms` : connectionFailure(error)
    throw new RpcError('unreachable', why, { cause: error })
  }
  if (response.status === 429) {
    throw new RpcError('rate-limited', 'HTTP 429', {
      code: 429,
      retryAfterMs: retryAfter(response.headers.get('retry-after')),
    })
  }
  if (response.status === 413)
    throw new RpcError('refused', 'HTTP 413: request too large', { code: 413 })
  if (text === null) throw new RpcError('oversized', `an answer of more than ${mostBytes} bytes`)
  return parseAnswer(response, text)
}

/** Null when there is more; the connection is closed then. */
async function readWithin({ body }: Response, mostBytes: number): Promise<string | null> {
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let bytes = 0
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.length
    if (bytes > mostBytes) {
      await reader?.cancel()
      return null
    }
    parts.push(part.value)
  }
  return Buffer.concat(parts).toString()
}

function parseAnswer(response: Response, text: string): unknown {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    const what = response.ok ? 'an answer that is not JSON' : `HTTP ${response.status}`
    throw new RpcError('unreachable', what, { code: response.status })
  }
  // Some nodes send JSON-RPC errors with a 4xx status; the errors say more than the status.
  const isRpc =
    typeof parsed === 'object' && parsed !== null && (Array.isArray(parsed) || 'error' in parsed)
  if (!response.ok && !isRpc)
    throw new RpcError('unreachable', `HTTP ${response.status}`, { code: response.status })
  return parsed
}

function connectionFailure(error: unknown): string {
  const cause = (error as { cause?: { code?: string } }).cause
  return cause?.code ?? (error as Error).name
}

/** `fetch` refuses a URL with a name and password in it: they go into a header. */
function withoutCredentials(url: string): { target: URL; authorization?: Record<string, string> } {
  const target = new URL(url)
  const { username, password } = target
  if (username === '' && password === '') return { target }
  target.username = ''
  target.password = ''
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { target, authorization: { authorization: `Basic ${btoa(credentials)}` } }
}
