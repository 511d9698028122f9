import { readBodyWithin } from '../readBodyWithin.ts'
import { RpcError } from './rpcError.ts'

/** Milliseconds of a `Retry-After` header, which holds seconds or a date; undefined if absent or malformed. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 60_000) : undefined
}

/**
 * Posts one JSON-RPC request or batch and returns the parsed answer.
 *
 * Error messages never contain the URL, which may hold an API key.
 *
 * @param mostBytes limit of the uncompressed answer
 * @throws RpcError `unreachable`, `rate-limited`, `refused` (HTTP 413: too large a batch), or `oversized`.
 */
export async function postJsonRpc(
  url: string,
  document: unknown,
  {
    timeoutMs,
    signal,
    mostBytes,
    redirect = 'follow',
  }: {
    timeoutMs: number
    signal?: AbortSignal | undefined
    mostBytes: number
    redirect?: 'follow' | 'error'
  },
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
      redirect,
    })
    text = (await readBodyWithin(response, mostBytes))?.toString() ?? null
  } catch (error) {
    signal?.throwIfAborted()
    const reason = timeout.aborted ? `no answer within ${timeoutMs} ms` : connectionFailure(error)
    throw new RpcError('unreachable', reason, { cause: error })
  }
  if (response.status === 429) {
    throw new RpcError('rate-limited', 'HTTP 429', {
      code: 429,
      retryAfterMs: parseRetryAfter(response.headers.get('retry-after')),
    })
  }
  if (response.status === 413)
    throw new RpcError('refused', 'HTTP 413: request too large', { code: 413 })
  if (text === null) throw new RpcError('oversized', `the answer exceeds ${mostBytes} bytes`)
  return parseAnswer(response, text)
}

function parseAnswer(response: Response, text: string): unknown {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    const reason = response.ok ? 'the answer is not JSON' : `HTTP ${response.status}`
    throw new RpcError('unreachable', reason, { code: response.status })
  }
  // Some nodes send JSON-RPC errors with a 4xx status. The error is more specific than the status.
  const isRpc =
    typeof parsed === 'object' && parsed !== null && (Array.isArray(parsed) || 'error' in parsed)
  if (!response.ok && !isRpc)
    throw new RpcError('unreachable', `HTTP ${response.status}`, { code: response.status })
  return parsed
}

function connectionFailure(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? (error as Error).name
}

/** Moves a URL's credentials into a header, since `fetch` rejects URLs that contain them. */
function withoutCredentials(url: string): { target: URL; authorization?: Record<string, string> } {
  const target = new URL(url)
  const { username, password } = target
  if (username === '' && password === '') return { target }
  target.username = ''
  target.password = ''
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { target, authorization: { authorization: `Basic ${btoa(credentials)}` } }
}
