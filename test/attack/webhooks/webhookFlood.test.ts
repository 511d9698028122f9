import { generateKeyPairSync } from 'node:crypto'
import { keccak256, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENDPOINT_LIMITS } from '../../../api/rest/webhooks/webhookLimits.ts'
import {
  registerWebhookMessage,
  type WebhookAction,
  webhookMessage,
} from '../../../sdk/messages/webhookMessages.ts'
import { type PushRig, startPushRig } from '../../integration/push/pushRig.ts'

// Registrations that an attacker with free wallets can make.

let rig: PushRig
const owner = privateKeyToAccount(keccak256(toHex('who wants all webhooks')))
const filter = { chainId: 84532 }
/** Each change needs a later time than the one before, of the last five minutes. */
let lastTime = 0

beforeAll(async () => {
  rig = await startPushRig(undefined, { perSecond: 0.001, burst: 40 })
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
  return headersOf(owner, messageAt, lastTime)
}

async function headersOf(
  account: PrivateKeyAccount,
  messageAt: (timestamp: number) => string,
  timestamp = Math.floor(Date.now() / 1_000),
) {
  return {
    'x-owner-address': account.address,
    'x-owner-signature': await account.signMessage({ message: messageAt(timestamp) }),
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

test('disabled webhooks can’t be enabled beyond a wallet’s limit', async () => {
  const ids: string[] = []
  for (let at = 0; at < 10; at++) ids.push((await register(at)).webhook.id)
  const [first, second] = ids as [string, string]
  await act('disable', first)
  expect((await register(10)).success).toBe(true)
  expect((await act('enable', first)).body).toMatchObject({ code: 'WEBHOOK_LIMIT_REACHED' })
  // An active webhook replaces no other.
  expect((await act('enable', second)).status).toBe(200)
  await act('disable', second)
  expect((await act('enable', first)).status).toBe(200)
})

test('replays are limited per client', async () => {
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

/** Registers from a new wallet at this address. */
async function newcomer(name: string, address: string) {
  const account = privateKeyToAccount(keccak256(toHex(name)))
  const url = `https://${name}.example/hook`
  const message = (time: number) => registerWebhookMessage(url, filter, 'instant', time)
  const signed = { ...(await headersOf(account, message)), 'x-forwarded-for': address }
  return rig.api.post('/webhooks', { url, ...filter, delivery: 'instant' }, signed)
}

/** Fills all places that are left, as wallets without number may. */
async function fill(site: string, succeededAt: Date | null) {
  await rig.client.query(
    `insert into app.webhook_endpoint
       (endpoint_id, owner, url, chain_id, mode, key_id, sealed_secret, succeeded_at)
     select $1 || at, 'owner ' || at, replace($1, '*', at::text), 84532, 'instant', 'a-key', '', $2
     from generate_series(1, $3 - (select count(*)::integer from app.webhook_endpoint
       where status = 'active' and owner is not null)) at`,
    [site, succeededAt, ENDPOINT_LIMITS.ofWallets],
  )
}

const statusOf = async (id: string) =>
  (await rig.client.query('select status from app.webhook_endpoint where endpoint_id = $1', [id]))
    .rows[0].status

test('after a flood, a newcomer gets a webhook and active receivers keep theirs', async () => {
  await rig.client.query('delete from app.webhook_endpoint')
  const receiving = (await newcomer('receiving', '192.0.2.1')).body.webhook.id
  await rig.client.query('update app.webhook_endpoint set succeeded_at = now()')
  await fill('https://flood*.example/', null)
  const late = await newcomer('late', '192.0.2.2')
  expect(late.status).toBe(200)
  // While places are scarce a client gets a fifth of what it may have else.
  const statuses: number[] = []
  for (let more = 0; more < 9; more++)
    statuses.push((await newcomer(`more${more}`, '192.0.2.3')).status)
  expect(statuses).toEqual([...new Array(8).fill(200), 429])
  expect(await statusOf(receiving)).toBe('active')
  expect(await statusOf(late.body.webhook.id)).toBe('active')
  const { rows } = await rig.client.query(`select count(*)::integer as active
    from app.webhook_endpoint where status = 'active'`)
  expect(rows).toEqual([{ active: ENDPOINT_LIMITS.ofWallets }])
})

test('after a flood whose server accepts everything, a newcomer gets a webhook and active receivers keep theirs', async () => {
  await rig.client.query('delete from app.webhook_endpoint')
  const receiving = (await newcomer('receiving', '192.0.2.4')).body.webhook.id
  await rig.client.query('update app.webhook_endpoint set succeeded_at = now()')
  await fill('https://a*.flood.example/', new Date())
  const late = await newcomer('late', '192.0.2.5')
  expect(late.status).toBe(200)
  await newcomer('later', '192.0.2.6')
  expect(await statusOf(receiving)).toBe('active')
  expect(await statusOf(late.body.webhook.id)).toBe('active')
})

test('the owner of a replaced webhook sees why, and can enable it again', async () => {
  await rig.client.query('delete from app.webhook_endpoint')
  const { id } = (await register(99)).webhook
  await fill('https://flood*.example/', null)
  await newcomer('late', '192.0.2.7')
  const listed = await rig.api.get(
    '/webhooks',
    await headers((at) => webhookMessage('list', null, at)),
  )
  expect(listed.body.webhooks).toMatchObject([{ id, status: 'disabled', disabledBy: 'crowded' }])
  expect((await act('enable', id)).status).toBe(200)
  expect(await statusOf(id)).toBe('active')
})
