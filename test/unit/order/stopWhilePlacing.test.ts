import { expect, onTestFinished, test, vi } from 'vitest'
import { startOrdersApi } from '../../../api/orderService/startOrdersApi.ts'
import { OrderError } from '../../../services/orders/orderError.ts'

test('a server that stops still answers the order that it is placing', async () => {
  const asked = Promise.withResolvers<void>()
  const placed = Promise.withResolvers<never>()
  const place = () => {
    asked.resolve()
    return placed.promise
  }
  const orders = { place, timeoutMs: 45_000, networks: [], onFired: () => {} } as never
  const api = await startOrdersApi({ orders, host: '127.0.0.1', port: 0 })
  const body = { encrypted: '0x04', message: 'an order', signature: `0x${'1b'.repeat(65)}` }
  const answer = fetch(`${api.url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await Promise.race([asked.promise, answer])
  // The time after which it cuts connections doesn't pass, however busy the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const stopped = api.stop()
  while (await isListening(api.url));
  placed.reject(new OrderError('FUNDING_PENDING', 'it isn’t in a block yet'))
  const response = await answer
  expect([response.status, await response.json()]).toMatchObject([503, { code: 'FUNDING_PENDING' }])
  vi.advanceTimersByTime(2_000)
  await stopped
})

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/address`).then(
    () => true,
    () => false,
  )
}
