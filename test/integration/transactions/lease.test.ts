import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { acquireLease } from '../../../services/chain/transactions/senderLease.ts'
import type { Sender } from '../../../services/chain/transactions/startSender.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { ADVISORY_LOCK_CLASSES } from '../../../services/store/database/advisoryLocks.ts'
import { startWire } from '../../rig/wire.ts'
import { type ProxiedTransactionRig, startProxiedTransactionRig } from './proxiedTransactionRig.ts'
import { CHAIN_ID } from './transactionRig.ts'

let rig: ProxiedTransactionRig

beforeAll(async () => {
  rig = await startProxiedTransactionRig()
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  await rig.nextAccount()
  await rig.chain.setAutomine(false)
  rig.proxy.calls.length = 0
})
afterEach(async () => {
  await rig.stopSenders()
  await rig.chain.setAutomine(true)
})

const sent = () => rig.proxy.count('eth_sendRawTransaction')

const leads = (sender: Sender) => async () => sender.report().isLeading

async function endLockHolders(): Promise<number> {
  const { rows } = await rig.client.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
     and classid = ${ADVISORY_LOCK_CLASSES.sender} and pid <> pg_backend_pid()`,
  )
  return rows.length
}

/** Stops a sender in the middle of a pass, once it knows what it is going to send again. */
function stepper() {
  let isHeld = false
  let release = () => {}
  let held = Promise.resolve()
  return {
    hold: () => {
      held = new Promise((resolve) => {
        release = resolve
      })
    },
    isHeld: async () => isHeld,
    release: () => release(),
    isStale: async (_: Transaction) => {
      isHeld = true
      await held
      isHeld = false
      return false
    },
  }
}

it('a sender whose database connection is closed sends nothing more, not even what it has just signed', async () => {
  const asked = await rig.request('fenced')
  const step = stepper()
  const first = rig.startBehindProxy({ isStale: step.isStale, resendAfterMs: 1 })
  await rig.until(async () => sent() > 0, 'it sends')
  step.hold()
  await rig.until(step.isHeld, 'it is about to send again')
  expect(await endLockHolders()).toBe(1)
  await rig.until(async () => !(await leads(first.sender)()), 'it notices')
  const second = rig.start()
  await rig.until(leads(second.sender), 'the other one leads')
  const before = sent()
  step.release()
  await rig.until(async () => first.sender.report().problem !== null, 'its pass is over')
  expect(sent()).toBe(before)
  const isOver = async () => (await rig.read(asked.id)).state === 'confirmed'
  await rig.until(isOver, 'confirmed', true)
  expect(await rig.received('fenced')).toBe(1n)
})

it('a sender that PostgreSQL doesn’t answer stops, and another takes over', async () => {
  const wire = await startWire(rig.postgres.port)
  const url = new URL(rig.postgres.databaseUrl)
  url.port = String(wire.port)
  const cutOff = rig.startBehindProxy({ databaseUrl: url.href, resendAfterMs: 1 })
  const asked = await rig.request('parted')
  await rig.until(async () => sent() > 0, 'it sends')
  wire.cut()
  const other = rig.start()
  await rig.until(async () => !(await leads(cutOff.sender)()), 'it notices')
  const before = sent()
  await rig.until(leads(other.sender), 'the server frees the lock, and the other one leads')
  expect(sent()).toBe(before)
  expect(cutOff.sender.report()).toMatchObject({
    isLeading: false,
    problem: 'DATABASE_UNREACHABLE',
  })
  const isOver = async () => (await rig.read(asked.id)).state === 'confirmed'
  await rig.until(isOver, 'confirmed', true)
  expect(await rig.received('parted')).toBe(1n)
  await wire.close()
})

it('the next holder waits after a kill, but not after an orderly release', async () => {
  const first = rig.start()
  await rig.until(leads(first.sender), 'it leads')
  await first.sender.stop()
  const second = rig.start({ leaseMs: 60_000 })
  await rig.until(leads(second.sender), 'at once: the last one has said that it ended')
  await second.sender.stop()
  // As one leaves it that was killed.
  await rig.client.query(`update app.sender set released_at = null, holder = 'killed'`)
  const third = rig.start({ leaseMs: 60_000 })
  const holds = async () => {
    const { rows } = await rig.client.query(
      `select from pg_locks where locktype = 'advisory' and granted and classid = ${ADVISORY_LOCK_CLASSES.sender}`,
    )
    return rows.length === 1
  }
  await rig.until(holds, 'it has the lock')
  const asked = await rig.request('fenced off')
  expect(third.sender.report().isLeading).toBe(false)
  expect((await rig.read(asked.id)).state).toBe('chosen')
})

it('a connection whose setup fails is closed', async () => {
  const sessions = async () => {
    const { rows } = await rig.client.query(
      `select from pg_stat_activity where application_name = 'cairn_sender'`,
    )
    return rows.length
  }
  await rig.until(async () => (await sessions()) === 0, 'nobody is connected')
  const failing = acquireLease({
    databaseUrl: rig.postgres.databaseUrl,
    chainId: CHAIN_ID,
    holder: 'nobody',
    account: rig.account.address,
    stop: new AbortController().signal,
    // More than PostgreSQL takes for a timeout.
    leaseMs: 1_500_000_000,
    onLost: () => {},
    onNotification: () => {},
    onWaiting: () => {},
  })
  await expect(failing).rejects.toThrow('idle_session_timeout')
  await rig.until(async () => (await sessions()) === 0, 'its connection is ended')
})
