import { expect, test } from 'vitest'
import { verifyWebhook } from '../../../sdk/index.ts'
import { signDelivery } from '../../../services/push/deliver/signDelivery.ts'

const BODY = '{"id":"evt_1"}'
const KEY = Buffer.alloc(32, 7)
const now = Math.floor(Date.now() / 1_000)

test('a delivery signed with either secret of a rotation is accepted', () => {
  const secrets = [KEY, Buffer.alloc(32, 8)].map((key) => `whsec_${key.toString('base64')}`)
  expect(verifyWebhook(BODY, signDelivery('msg', BODY, [KEY], now), secrets)).toEqual({
    id: 'evt_1',
  })
})

test.each([
  [''],
  ['whsec_'],
  ['whsec_not base64!'],
  [[]],
])('with the secret %j, a delivery signed with an empty key is refused', (secret) => {
  const headers = signDelivery('msg', BODY, [new Uint8Array()], now)
  expect(() => verifyWebhook(BODY, headers, secret)).toThrow('no signature matches the secret')
})

test('a body that a framework has parsed is refused with what to pass instead', () => {
  const headers = signDelivery('msg', BODY, [KEY], now)
  const secret = `whsec_${KEY.toString('base64')}`
  for (const parsed of [JSON.parse(BODY), undefined])
    expect(() => verifyWebhook(parsed, headers, secret)).toThrow('raw body')
  // What express.raw() gives.
  expect(verifyWebhook(Buffer.from(BODY) as never, headers, secret)).toEqual({ id: 'evt_1' })
})
