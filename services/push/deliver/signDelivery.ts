import { createHmac } from 'node:crypto'

/**
 * The headers of Standard Webhooks 1.0.
 *
 * @param secrets the current one first, then the previous one while it is valid
 * @param timestamp unix seconds of this attempt
 */
export function signDelivery(
  id: string,
  body: string,
  secrets: readonly Uint8Array[],
  timestamp: number,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`)
    return `v1,${signature.digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'user-agent': 'Cairn-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
