import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { verifyWebhook } from '../../../sdk/index.ts'
import { retryAfter } from '../../../services/push/deliver/recordDeliveryOutcome.ts'
import { signDelivery } from '../../../services/push/deliver/signDelivery.ts'

test('attempts come after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, a tenth more or less', () => {
  const waits = Array.from({ length: 9 }, (_, i) => retryAfter(i + 1, 0.5))
  expect(waits.map((wait) => wait! / 1_000)).toEqual([
    ...[5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  ])
  expect(retryAfter(10)).toBe(null)
  expect([retryAfter(1, 0), retryAfter(1, 1)]).toEqual([4_500, 5_500])
})

test('standardwebhooks and the SDK verify a delivery by either secret', () => {
  const [old, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const body = '{"type":"intent.pending"}'
  const now = Math.floor(Date.now() / 1_000)
  const headers = signDelivery('evt_1', body, [current, old], now)
  for (const secret of [old, current].map((bytes) => `whsec_${bytes.toString('base64')}`)) {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body))
    const forged = { ...headers, 'webhook-id': 'evt_2' }
    expect(() => verifyWebhook(body, forged, secret)).toThrow(
      expect.objectContaining({ code: 'WEBHOOK_SIGNATURE_INVALID' }),
    )
  }
})
