import { keccak256, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import {
  CHAIN_ID,
  derivePayee,
  startTransactionRig,
  type TransactionRig,
} from '../transactions/transactionRig.ts'

let rig: TransactionRig

beforeAll(async () => {
  rig = await startTransactionRig()
})
afterAll(() => rig.stop())
beforeEach(() => rig.nextAccount())

const isOver = async ({ id }: Transaction) =>
  ['confirmed', 'failed', 'superseded'].includes((await rig.read(id)).state)

async function isCancelled({ id }: Transaction): Promise<boolean> {
  const { rows } = await rig.client.query(
    `select from app.transaction_version
     where transaction_id = $1 and is_cancel and sent_at is not null`,
    [id],
  )
  return rows.length > 0
}

it('a transaction that is stale before it is signed is not sent', async () => {
  const requested = await rig.request('too late from the start')
  const { sender } = rig.start({ isStale: async () => true })
  await rig.until(() => isOver(requested), 'it is over')
  expect(await rig.read(requested.id)).toMatchObject({ state: 'failed', problem: 'TOO_LATE' })
  expect(await rig.received('too late from the start')).toBe(0n)
  await sender.stop()
})

it('a pending transaction that becomes stale is cancelled, and later ones continue', async () => {
  await rig.chain.setAutomine(false)
  let late = false
  const { sender } = rig.start({ isStale: async ({ effect }) => late && effect === 'slow' })
  const slow = await rig.request('slow')
  const next = await rig.request('next')
  const isSent = async () => (await rig.read(next.id)).state === 'sent'
  await rig.until(isSent, 'both are sent')
  late = true
  await rig.until(() => isCancelled(slow), 'a cancellation is sent')
  await rig.until(async () => (await isOver(slow)) && (await isOver(next)), 'both are over', true)
  expect(await rig.read(slow.id)).toMatchObject({ state: 'superseded', problem: 'CANCELLED' })
  expect([await rig.received('slow'), await rig.received('next')]).toEqual([0n, 1n])
  await sender.stop()
  await rig.chain.setAutomine(true)
})

it('a stale transaction is cancelled by the next process if the one that signed it has died', async () => {
  await rig.chain.setAutomine(false)
  const first = rig.start()
  const requested = await rig.request('left behind')
  await rig.until(async () => (await rig.read(requested.id)).state === 'sent', 'it is sent')
  await first.sender.stop()
  const second = rig.start({ isStale: async () => true })
  await rig.until(() => isCancelled(requested), 'a cancellation is sent')
  await rig.until(() => isOver(requested), 'it is over', true)
  expect(await rig.received('left behind')).toBe(0n)
  await second.sender.stop()
  await rig.chain.setAutomine(true)
})

it('a transaction whose row was tampered with is cancelled instead of replaced, and later ones continue', async () => {
  const { signTransaction: sign, macOf } = createSolverAccount(
    keccak256(toHex(`account ${rig.accountNumber} of a test`)),
  )
  const request = (effect: string) => {
    const call = { kind: 'gift', chainId: CHAIN_ID, effect, to: derivePayee(effect), value: 1n }
    return rig.request(effect, { mac: macOf({ ...call, data: '0x' }) })
  }
  await rig.chain.setAutomine(false)
  const { sender, events } = rig.start({ sign, bumpAfterMs: 200 })
  const rewritten = await request('rewritten')
  const next = await request('behind the rewritten')
  await rig.until(async () => (await rig.read(next.id)).state === 'sent', 'both are sent')
  await rig.client.query('update app.transaction set to_address = $2, value = 9 where id = $1', [
    ...[rewritten.id, derivePayee('thief')],
  ])
  const both = async () => (await isOver(rewritten)) && (await isOver(next))
  const mine = async () => {
    if (await isCancelled(rewritten)) await rig.chain.mine({ blocks: 1 })
    else await rig.mineWithout()
  }
  await rig.until(both, 'both are over', mine)
  expect(await rig.read(rewritten.id)).toMatchObject({ state: 'superseded', problem: 'CANCELLED' })
  const received = ['thief', 'rewritten', 'behind the rewritten'].map(rig.received)
  expect(await Promise.all(received)).toEqual([0n, 0n, 1n])
  const problems = events.flatMap((event) => (event.type === 'waits' ? [event.problem] : []))
  expect(problems).toContain('TRANSACTION_NOT_AUTHENTIC')
  await sender.stop()
  await rig.chain.setAutomine(true)
})
