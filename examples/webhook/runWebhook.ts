import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { PrivateKeyAccount } from 'viem/accounts'
import { type CairnEvent, registerWebhookMessage, webhookMessage } from '../../sdk/index.ts'
import { receiveWebhooks } from './receiveWebhooks.ts'

type WebhookRun = {
  /** Base URL of the relayer's API. */
  api: string
  /** The webhook's owner. */
  owner: PrivateKeyAccount
  /** Events of intents from or to this chain. */
  chainId: number
  /** Stop after this many events. */
  events: number
}

/**
 * Registers a webhook for a local server, prints its events, and disables it again.
 *
 * @returns the events' ids in order of arrival
 */
export async function runWebhook(
  { api, owner, chainId, events }: WebhookRun,
  log: (line: string) => void,
): Promise<string[]> {
  const ids: string[] = []
  const enough = Promise.withResolvers<void>()
  const onEvent = (event: CairnEvent) => {
    if (ids.length === events) return
    ids.push(event.id)
    const { status, intentId } = event.data as { status?: string; intentId?: string }
    log(`${event.id}  ${event.type}  intent ${intentId}, now ${status}`)
    if (ids.length === events) enough.resolve()
  }
  const receiver = receiveWebhooks({ onEvent, onRefused: (reason) => log(`refused: ${reason}`) })
  receiver.server.listen(0, '127.0.0.1')
  await once(receiver.server, 'listening')
  const { port } = receiver.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/cairn`
  try {
    const { id, secret } = await register(api, owner, url, chainId)
    receiver.trust(secret)
    log(`webhook ${id} sends to ${url}`)
    await enough.promise
    await disable(api, owner, id)
    log(`webhook ${id} is disabled`)
    return ids
  } finally {
    receiver.server.close()
    receiver.server.closeAllConnections()
  }
}

async function register(
  api: string,
  owner: PrivateKeyAccount,
  url: string,
  chainId: number,
): Promise<{ id: string; secret: string }> {
  const headers = await signHeaders(owner, (timestamp) =>
    registerWebhookMessage(url, { chainId }, 'instant', timestamp),
  )
  const body = JSON.stringify({ url, chainId, delivery: 'instant' })
  const { webhook, secret } = await post(`${api}/webhooks`, headers, body)
  return { id: webhook.id, secret }
}

async function disable(api: string, owner: PrivateKeyAccount, id: string): Promise<void> {
  const headers = await signHeaders(owner, (timestamp) => webhookMessage('disable', id, timestamp))
  await post(`${api}/webhooks/${id}/disable`, headers, '{}')
}

async function signHeaders(owner: PrivateKeyAccount, messageAt: (timestamp: number) => string) {
  const timestamp = Math.floor(Date.now() / 1_000)
  return {
    'content-type': 'application/json',
    'x-owner-address': owner.address,
    'x-owner-signature': await owner.signMessage({ message: messageAt(timestamp) }),
    'x-timestamp': String(timestamp),
  }
}

type Registered = { webhook: { id: string }; secret: string }

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Registered> {
  const response = await fetch(url, { method: 'POST', headers, body })
  const answer = (await response.json()) as Registered & { code?: string; error?: string }
  if (!response.ok) throw new Error(`${answer.code}: ${answer.error}`)
  return answer
}
