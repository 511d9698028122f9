import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Transaction } from '../../../services/chain/transactions/transaction.ts'
import { startTransactionRig, type TransactionRig } from '../transactions/transactionRig.ts'

let rig: TransactionRig

beforeAll(async () => {
  rig = await startTransactionRig()
})
afterAll(() => rig.stop())
beforeEach(() => rig.nextAccount())

const isOver = async ({ id }: Transaction) =>
  ['confirmed', 'failed', 'superseded'].includes((await rig.look(id)).state)

async function isCancelled({ id }: Transaction): Promise<boolean> {
  const { rows } = await rig.client.query(
    `select from app.transaction_version
     where transaction_id = $1 and is_cancel and sent_at is not null`,
    [id],
  )
  return rows.length > 0
}

it('is not sent at all when it is no longer desired before', async () => {
  const requested = await rig.request('too late from the start')
  const { sender } = rig.start({ isStale: async () => true })
  await rig.until(() => isOver(requested), 'it is over')
  expect(await rig.look(requested.id)).toMatchObject({ state: 'failed', problem: 'TOO_LATE' })
  expect(await rig.received('too late from the start')).toBe(0n)
  await sender.stop()
})

it('is cancelled when it is no longer desired while no block took it, and what is behind it goes on', async () => {
  await rig.chain.setAutomine(false)
  let late = false
  const { sender } = rig.start({ isStale: async ({ effect }) => late && effect === 'slow' })
  const slow = await rig.request('slow')
  const next = await rig.request('next')
  const isSent = async () => (await rig.look(next.id)).state === 'sent'
  await rig.until(isSent, 'both are sent')
  late = true
  await rig.until(() => isCancelled(slow), 'a cancellation is sent')
  await rig.until(async () => (await isOver(slow)) && (await isOver(next)), 'both are over', true)
  expect(await rig.look(slow.id)).toMatchObject({ state: 'superseded', problem: 'CANCELLED' })
  expect([await rig.received('slow'), await rig.received('next')]).toEqual([0n, 1n])
  await sender.stop()
  await rig.chain.setAutomine(true)
})

it('is cancelled by the next process too, if the one that signed it has died', async () => {
  await rig.chain.setAutomine(false)
  const first = rig.start()
  const requested = await rig.request('left behind')
  await rig.until(async () => (await rig.look(requested.id)).state === 'sent', 'it is sent')
  await first.sender.stop()
  const second = rig.start({ isStale: async () => true })
  await rig.until(() => isCancelled(requested), 'a cancellation is sent')
  await rig.until(() => isOver(requested), 'it is over', true)
  expect(await rig.received('left behind')).toBe(0n)
  await second.sender.stop()
  await rig.chain.setAutomine(true)
})
