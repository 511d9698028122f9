import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import {
  AddressRefusedError,
  checkedLookup,
  createResolve,
  isPublicAddress,
  type Resolve,
} from './publicIpLookup.ts'

/** An attempt's result: the response status, or an error code if there was none. */
export type Outcome = { status: number | null; error: string | null }

type PostOptions = {
  /** Allows private addresses and plain HTTP. For devnets only. */
  allowPrivate?: boolean
  resolve?: Resolve
  /** From connecting to the end of the response. */
  timeoutMs?: number
}

export type PostWebhook = (
  url: string,
  headers: Record<string, string>,
  body: string,
) => Promise<Outcome>

/** The rest of a longer response isn't read. */
const MAX_RESPONSE_BYTES = 16_384
const TIMEOUT_MS = 15_000

const PROTOCOLS = ['https:', 'http:']

/**
 * Posts to untrusted servers. Follows no redirects, connects only to public addresses, checked at the moment of
 * connecting, and limits the response's size and time.
 */
export function createPostWebhook(options: PostOptions = {}): PostWebhook {
  const { allowPrivate = false, resolve = createResolve(), timeoutMs = TIMEOUT_MS } = options
  const isAllowed = allowPrivate ? () => true : isPublicAddress
  const lookup = checkedLookup(resolve, isAllowed)
  return async (text, headers, body) => {
    const url = URL.parse(text)
    if (url === null || !PROTOCOLS.includes(url.protocol))
      return { status: null, error: 'ADDRESS_REFUSED' }
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const isPlain = url.protocol === 'http:'
    // A literal address is never looked up, so it is checked here.
    const isRefused = (isIP(host) !== 0 && !isAllowed(host)) || (isPlain && !allowPrivate)
    // The API took it, which it does only where these are allowed.
    if (isRefused) return { status: null, error: 'PRIVATE_REFUSED' }
    return post(url, { headers, body, lookup, timeoutMs, isAllowed })
  }
}

type Post = {
  headers: Record<string, string>
  body: string
  lookup: LookupFunction
  timeoutMs: number
  isAllowed: (address: string) => boolean
}

function post(url: URL, { headers, body, lookup, timeoutMs, isAllowed }: Post): Promise<Outcome> {
  return new Promise((resolve) => {
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest
    const length = String(Buffer.byteLength(body))
    const request: ClientRequest = send(url, {
      method: 'POST',
      lookup,
      // No pooled connection: receivers share nothing.
      agent: false,
      maxHeaderSize: 8_192,
      headers: { ...headers, 'content-length': length, connection: 'close' },
    })
    let done = false
    const end = (outcome: Outcome) => {
      if (done) return
      done = true
      clearTimeout(timer)
      request.destroy()
      resolve(outcome)
    }
    let timeout = 'CONNECT_TIMEOUT'
    const timer = setTimeout(() => end({ status: null, error: timeout }), timeoutMs)
    request.on('socket', (socket) =>
      socket.once('connect', () => {
        timeout = 'TIMEOUT'
        if (!isAllowed(socket.remoteAddress ?? '')) end({ status: null, error: 'ADDRESS_REFUSED' })
      }),
    )
    request.on('error', (error) => end({ status: null, error: codeOf(error) }))
    request.on('response', (response) => readResponse(response, end))
    // Interim responses (1xx) may precede the response, and Node accepts any number of them.
    request.on('information', () => {
      if ((request.socket?.bytesRead ?? 0) > MAX_RESPONSE_BYTES)
        end({ status: null, error: 'ANSWER_BROKE_OFF' })
    })
    request.on('upgrade', () => end({ status: 101, error: null }))
    request.end(body)
  })
}

/** The delivery counts as accepted only after the whole response. */
function readResponse(response: IncomingMessage, end: (outcome: Outcome) => void): void {
  const status = response.statusCode ?? null
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES) end({ status, error: null })
  })
  response.on('end', () => end({ status, error: null }))
  response.on('error', () => end({ status: null, error: 'ANSWER_BROKE_OFF' }))
  response.on('aborted', () => end({ status: null, error: 'ANSWER_BROKE_OFF' }))
}

/** An error code for the webhook's owner. It reveals nothing about the operator's network. */
function codeOf(error: Error): string {
  if (error instanceof AddressRefusedError) return error.code
  const { code, syscall } = error as NodeJS.ErrnoException
  // Other than that the name has no address.
  if (syscall?.startsWith('query') && code !== 'ENOTFOUND' && code !== 'ENODATA')
    return 'NAME_UNRESOLVED'
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'FAILED'
}
