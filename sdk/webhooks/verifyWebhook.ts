import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { PushEvent } from '../../core/push/pushEvent.ts'
import { CairnError } from '../errors/cairnError.ts'

/** A delivery's headers, in any letter case; a fetch `Request`'s headers work unchanged. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

/** Seconds by which a delivery's time may differ from the clock. */
const TOLERANCE = 300

/**
 * Verifies that a delivery is from Cairn (Standard Webhooks 1.0), and parses it.
 *
 * @param body the raw request body, before any parsing
 * @param secret `whsec_…`; both secrets during a rotation
 * @param now unix seconds
 * @throws CairnError `WEBHOOK_SIGNATURE_INVALID`, with `details.reason`
 */
export function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  now: number = Date.now() / 1_000,
): PushEvent {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    findHeader(headers, `webhook-${name}`),
  )
  if (!id || !timestamp || !signatures) throw invalidDelivery('a webhook header is missing')
  if (!(Math.abs(now - Number(timestamp)) <= TOLERANCE))
    throw invalidDelivery('its time is over five minutes off this machine’s clock')
  const content = utf8ToBytes(`${id}.${timestamp}.${body}`)
  // Anyone can sign with an empty key: that of a missing or broken secret.
  const keys = [secret]
    .flat()
    .map(parseSecret)
    .filter(({ length }) => length > 0)
  const expected = keys.map((key) => hmac(sha256, key, content))
  const given = signatures.split(' ').flatMap((one) => {
    const [version, text = ''] = one.split(',')
    return version === 'v1' ? [decodeBase64(text)] : []
  })
  if (!expected.some((one) => given.some((other) => isEqual(one, other))))
    throw invalidDelivery('no signature matches the secret and the raw body')
  return JSON.parse(body) as PushEvent
}

function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found[0] : found
}

function parseSecret(secret: string): Uint8Array {
  return decodeBase64(secret.replace(/^whsec_/, ''))
}

function decodeBase64(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
  } catch {
    return concatBytes()
  }
}

/** Compares in constant time. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0)
  return difference === 0
}

function invalidDelivery(reason: string): CairnError {
  return new CairnError('WEBHOOK_SIGNATURE_INVALID', `the delivery is not authentic: ${reason}`, {
    details: { reason },
  })
}
