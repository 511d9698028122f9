import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import {
  AddressRefusedError,
  checkedLookup,
  createResolve,
  isPublicAddress,
  type Resolve,
} from './checkedLookup.ts'

/** An attempt's result: the answer's status, or why there was none, in a few words. */
export type Outcome = { status: number | null; error: string | null }

type PostOptions = {
  /** Also private addresses, and http: for a devnet, and nothing else. */
  allowPrivate?: boolean
  resolve?: Resolve
  /** From connecting to the end of the answer. */
  timeoutMs?: number
}

export type PostWebhook = (
  url: string,
  headers: Record<string, string>,
  body: string,
) => Promise<Outcome>

/** The rest of an answer isn't read. */
const MOST_ANSWER_BYTES = 16_384
const TIMEOUT_MS = 15_000

/**
 * Posts to strangers' servers. It follows no redirect, connects only to public addresses, whatever their
 * names resolve to at that moment, and limits how much and how long it reads.
 */
export function createPostWebhook(options: PostOptions = {}): PostWebhook {
  const { allowPrivate = false, resolve = createResolve(), timeoutMs = TIMEOUT_MS } = options
  const isAllowed = allowPrivate ? () => true : isPublicAddress
  const lookup = checkedLookup(resolve, isAllowed)
  return async (text, headers, body) => {
    const url = new URL(text)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const isPlain = url.protocol === 'http:'
    // An address in place of a name is never looked up.
    const isRefused = (isIP(host) !== 0 && !isAllowed(host)) || (isPlain && !allowPrivate)
    if (isRefused) return { status: null, error: 'ADDRESS_REFUSED' }
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
      // A separate connection, closed afterwards: receivers share nothing.
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
    const timer = setTimeout(() => end({ status: null, error: 'TIMEOUT' }), timeoutMs)
    request.on('socket', (socket) =>
      socket.once('connect', () => {
        if (!isAllowed(socket.remoteAddress ?? '')) end({ status: null, error: 'ADDRESS_REFUSED' })
      }),
    )
    request.on('error', (error) => end({ status: null, error: nameOf(error) }))
    request.on('response', (response) => readOut(response, end))
    request.end(body)
  })
}

/** A receiver has accepted it once its whole answer is there. */
function readOut(response: IncomingMessage, end: (outcome: Outcome) => void): void {
  const status = response.statusCode ?? null
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MOST_ANSWER_BYTES) end({ status, error: null })
  })
  response.on('end', () => end({ status, error: null }))
  response.on('error', () => end({ status: null, error: 'ANSWER_BROKE_OFF' }))
  response.on('aborted', () => end({ status: null, error: 'ANSWER_BROKE_OFF' }))
}

/** For the webhook's owner: it says nothing about our network. */
function nameOf(error: Error): string {
  if (error instanceof AddressRefusedError) return error.code
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'FAILED'
}
