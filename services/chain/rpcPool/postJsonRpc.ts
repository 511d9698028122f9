import { readBodyWithin } from '../readBodyWithin.ts'
import { findHostFailure, RpcError } from './rpcError.ts'

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
    text = (await readBodyWithin(response.body, mostBytes))?.toString() ?? null
  } catch (error) {
    signal?.throwIfAborted()
    const reason = timeout.aborted ? `no answer within ${timeoutMs} ms` : connectionFailure(error)
    throw new RpcError('unreachable', reason, { isTimeout: timeout.aborted, cause: error })
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
    if (!response.ok) throw statusError(response)
    throw new RpcError('unreachable', 'the answer is not JSON', { code: response.status })
  }
  if (response.ok || Array.isArray(parsed)) return parsed
  // Some nodes send JSON-RPC errors with a 4xx status, which mostly says less.
  const isRpc = typeof parsed === 'object' && parsed !== null && 'error' in parsed
  if (!isRpc) throw statusError(response)
  const ofHost = findHostFailure(response.status, (parsed as { error: unknown }).error)
  if (ofHost !== null) throw ofHost
  return parsed
}

/** HTTP statuses with which servers in front of a node report that it took too long. */
const TIMEOUT_STATUSES = new Set([408, 504, 524])

function statusError({ status }: Response): RpcError {
  return new RpcError('unreachable', `HTTP ${status}`, {
    code: status,
    isTimeout: TIMEOUT_STATUSES.has(status),
  })
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
