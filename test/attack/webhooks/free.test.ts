import { generateKeyPairSync } from 'node:crypto'
import { keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  registerWebhookMessage,
  type WebhookAction,
  webhookMessage,
} from '../../../sdk/messages/webhooks.ts'
import { type PushRig, startPushRig } from '../../integration/push/pushRig.ts'

// What somebody with wallets that cost nothing may have written for him.

let rig: PushRig
const owner = privateKeyToAccount(keccak256(toHex('who wants all webhooks')))
const filter = { chainId: 84532 }
/** Each change needs a later time than the one before, of the last five minutes. */
let lastTime = 0

beforeAll(async () => {
  rig = await startPushRig()
  const { publicKey } = generateKeyPairSync('x25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  await rig.client.query(
    'insert into app.webhook_key (key_id, public_key) values ($1, $2) on conflict do nothing',
    ['a-key', pem],
  )
}, 300_000)
afterAll(() => rig.stop())

async function headers(messageAt: (timestamp: number) => string) {
  lastTime = Math.max(lastTime + 1, Math.floor(Date.now() / 1_000) - 200)
  const timestamp = lastTime
  return {
    'x-owner-address': owner.address,
    'x-owner-signature': await owner.signMessage({ message: messageAt(timestamp) }),
    'x-timestamp': String(timestamp),
  }
}

async function register(at: number) {
  const url = `https://example.org/${at}`
  const signed = await headers((time) => registerWebhookMessage(url, filter, 'instant', time))
  return (await rig.api.post('/webhooks', { url, ...filter, delivery: 'instant' }, signed)).body
}

async function act(action: WebhookAction, id: string, body: object = {}) {
  const signed = await headers((time) => webhookMessage(action, id, time))
  return rig.api.post(`/webhooks/${id}/${action}`, body, signed)
}

test('webhooks that were disabled aren’t enabled beyond what a wallet may have', async () => {
  const ids: string[] = []
  for (let at = 0; at < 10; at++) ids.push((await register(at)).webhook.id)
  const [first, second] = ids as [string, string]
  await act('disable', first)
  expect((await register(10)).success).toBe(true)
  expect((await act('enable', first)).body).toMatchObject({ code: 'WEBHOOK_LIMIT_REACHED' })
  // One that is active already takes no other's place.
  expect((await act('enable', second)).status).toBe(200)
  await act('disable', second)
  expect((await act('enable', first)).status).toBe(200)
})

test('a client has events sent again only so often', async () => {
  const { rows } = await rig.client.query('select endpoint_id as id from app.webhook_endpoint')
  let status = 200
  let count = 0
  for (; status === 200 && count < 50; count++) {
    const { id } = rows[count % rows.length]
    status = (await act('replay', id, { after: 'evt_0' })).status
  }
  expect(status).toBe(429)
  expect(count).toBeGreaterThan(10)
})
