import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { receiveWebhooks } from '../../../examples/webhook/receiveWebhooks.ts'
import type { CairnEvent } from '../../../sdk/index.ts'
import { signDelivery } from '../../../services/push/deliver/signDelivery.ts'

const SECRET = Buffer.alloc(32, 7)
const TRUSTED = `whsec_${SECRET.toString('base64')}`

/** Starts a receiver. `deliver` sends it an event and returns the status of its response. */
async function start(
  onEvent: (event: CairnEvent) => Promise<void> | void,
  handlingLimitMs?: number,
) {
  const refused: string[] = []
  const onRefused = (reason: string) => void refused.push(reason)
  const { server, trust } = receiveWebhooks({ onEvent, onRefused }, handlingLimitMs)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const deliver = async (id: string, secret: Uint8Array = SECRET, secondsAgo = 0) => {
    const body = JSON.stringify({ id, type: 'intent.settled', data: {} })
    const headers = signDelivery(id, body, [secret], Math.floor(Date.now() / 1_000) - secondsAgo)
    const request = { method: 'POST', headers: { ...headers, connection: 'close' }, body }
    return (await fetch(`http://127.0.0.1:${port}/`, request)).status
  }
  return { trust, deliver, refused }
}

test('until the receiver knows its secret, it accepts nothing, even if signed with an empty secret', async () => {
  const ids: string[] = []
  const { trust, deliver } = await start(({ id }) => void ids.push(id))
  expect(await deliver('evt_1', new Uint8Array())).toBe(503)
  expect(await deliver('evt_1')).toBe(503)
  trust(TRUSTED)
  expect(await deliver('evt_1', new Uint8Array())).toBe(401)
  expect(await deliver('evt_1')).toBe(204)
  expect(ids).toEqual(['evt_1'])
})

test('a receiver says why it refuses a delivery', async () => {
  const { trust, deliver, refused } = await start(() => {})
  trust(TRUSTED)
  expect(await deliver('evt_1', SECRET, 400)).toBe(401)
  expect(await deliver('evt_1', Buffer.alloc(32, 8))).toBe(401)
  expect(refused).toEqual([
    'the delivery is not authentic: its time is over five minutes off this machine’s clock',
    'the delivery is not authentic: no signature matches the secret and the raw body',
  ])
})

test('an event that could not be handled is not accepted, and is handled when it comes again', async () => {
  const attempts: string[] = []
  const { trust, deliver } = await start(({ id }) => {
    attempts.push(id)
    if (attempts.length === 1) throw new Error('the disk is full')
  })
  trust(TRUSTED)
  expect(await deliver('evt_1')).toBe(500)
  expect(await deliver('evt_1')).toBe(204)
  expect(await deliver('evt_1')).toBe(204)
  expect(attempts).toEqual(['evt_1', 'evt_1'])
})

test('an event that takes too long is not accepted, and is not handled twice when it comes again', async () => {
  const finished = Promise.withResolvers<void>()
  let attempts = 0
  const { trust, deliver } = await start(() => {
    attempts++
    return finished.promise
  }, 20)
  trust(TRUSTED)
  expect(await deliver('evt_1')).toBe(500)
  finished.resolve()
  expect(await deliver('evt_1')).toBe(204)
  expect(attempts).toBe(1)
})
