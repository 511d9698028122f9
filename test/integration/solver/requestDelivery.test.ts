import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findTransaction } from '../../../services/chain/transactions/findTransaction.ts'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import { requestDelivery } from '../../../services/solver/act/deliverIntent.ts'
import { isOfferStale } from '../../../services/solver/chain/isOfferStale.ts'
import type { SolverChain } from '../../../services/solver/chain/solverChain.ts'
import {
  findDeliveryKey,
  loadActiveEntries,
  recordDeliveryKey,
  recordIntent,
} from '../../../services/solver/journal/intentJournal.ts'
import { migrateJournal } from '../../../services/solver/journal/migrateJournal.ts'
import {
  effectKey,
  isBidStale,
  loadPendingTransactions,
  requestSolverTransaction,
} from '../../../services/solver/journal/transactionJournal.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { OPEN, RIVAL } from '../../unit/solver/solverTestbed.ts'

let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrateJournal(postgres.databaseUrl)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

const KEY = `0x${'0a'.repeat(32)}` as const
const OTHER_KEY = `0x${'0b'.repeat(32)}` as const

it('keeps a pending delivery’s key, so that it is seen on chain and not paid again', async () => {
  const { db } = database
  const account = createSolverAccount(generatePrivateKey())
  const call = { to: account.address, data: '0x01' } as const
  await recordIntent(db, account.address, OPEN, { phase: 'delivering' })
  const keyOf = () => findDeliveryKey(db, account, OPEN.intentId)
  expect(await requestDelivery({ account, db }, OPEN, KEY, call)).toBe(true)
  expect(await requestDelivery({ account, db }, OPEN, OTHER_KEY, call)).toBe(false)
  expect(await keyOf()).toBe(KEY)
  await db
    .updateTable('app.transaction' as never)
    .set({ state: 'failed' } as never)
    .execute()
  expect(await requestDelivery({ account, db }, OPEN, OTHER_KEY, call)).toBe(true)
  expect(await keyOf()).toBe(OTHER_KEY)
})

it('ignores a delivery key that somebody else wrote: with another delivery’s, it would wait until it lost its bond', async () => {
  const { db, pool } = database
  const account = createSolverAccount(generatePrivateKey())
  const other = { ...OPEN, intentId: OPEN.intentId + 1n }
  for (const intent of [OPEN, other])
    await recordIntent(db, account.address, intent, { phase: 'delivering' })
  await recordDeliveryKey(db, account, other, KEY)
  await pool.query(
    `update solver.intent i set delivery_key = o.delivery_key, delivery_mac = o.delivery_mac
     from solver.intent o where i.intent_id = $1 and o.intent_id = $2
       and i.account = $3 and o.account = $3`,
    [String(OPEN.intentId), String(other.intentId), account.address],
  )
  const active = await loadActiveEntries(db, account)
  expect(active.map(({ deliveryKey }) => deliveryKey)).toEqual([null, KEY])
  expect(await findDeliveryKey(db, account, OPEN.intentId)).toBeNull()
})

it.each([
  ['was changed', 'value = 1e30'],
  ['asks for more gas than anyone has', 'gas_limit = 9223372036854775807'],
  ['is another account’s', `account = '${RIVAL}'`],
])('requests a pending call again if its row %s, and doesn’t wait for it until then', async (_, change) => {
  const { db, pool } = database
  const account = createSolverAccount(generatePrivateKey())
  const call = { to: account.address, data: '0x01' } as const
  const key = effectKey.intent('ask', OPEN, OPEN.expectedAmountB)
  const request = () => requestSolverTransaction(db, account, key, call)
  const pending = () => loadPendingTransactions(db, account)
  expect(await request()).toBe(true)
  expect(await request()).toBe(false)
  expect(await pending()).toHaveLength(1)
  await pool.query(`update app.transaction set ${change} where kind = 'ask'`)
  expect(await pending()).toEqual([])
  expect(await request()).toBe(true)
  expect(await pending()).toHaveLength(1)
  await pool.query(`delete from app.transaction where kind = 'ask'`)
})

it('doesn’t wait for a call that somebody else wrote for a chain without a sender', async () => {
  const { db, pool } = database
  const account = createSolverAccount(generatePrivateKey())
  const { effect } = effectKey.intent('deliver', OPEN, OPEN.expectedAmountB)
  for (const about of [effect, 'nonsense'])
    await pool.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, mac)
       values ('deliver', 999999, $1, $2, $2, '0x01', $3)`,
      [about, account.address, 'f'.repeat(64)],
    )
  expect(await loadPendingTransactions(db, account)).toEqual([])
})

it('counts a bid as stale five minutes after its latest request', async () => {
  const { db, pool } = database
  const account = createSolverAccount(generatePrivateKey())
  const call = { to: account.address, data: '0x01' } as const
  const key = effectKey.intent('bid', OPEN, OPEN.expectedAmountB)
  await requestSolverTransaction(db, account, key, call)
  const { id } = (await findTransaction(db, key))!
  const waitFor = (seconds: number) =>
    pool.query(
      "update app.transaction set requested_at = now() - $2 * interval '1 second' where id = $1",
      [id, seconds],
    )
  await waitFor(290)
  expect(await isBidStale(db, { id })).toBe(false)
  await waitFor(301)
  expect(await isBidStale(db, { id })).toBe(true)
  // Cancelled, and bid again.
  await pool.query(`update app.transaction set state = 'superseded' where id = $1`, [id])
  expect(await requestSolverTransaction(db, account, key, call)).toBe(true)
  expect(await isBidStale(db, { id })).toBe(false)
})

it('cancels an unmined deposit only if all nodes say that it takes over from another solver', async () => {
  const { db, pool } = database
  const account = createSolverAccount(generatePrivateKey())
  const call = { to: account.address, data: '0x01' } as const
  const key = effectKey.intent('deposit', OPEN, OPEN.expectedAmountB)
  await requestSolverTransaction(db, account, key, call)
  const deposit = (await findTransaction(db, key))!
  const isStale = (...leaders: string[]) => {
    const nodes = leaders.map((solver) => ({ client: { readContract: async () => ({ solver }) } }))
    const queryAll: unknown = (query: (node: (typeof nodes)[number]) => Promise<string>) =>
      Promise.all(nodes.map(query))
    const chain = { chainId: key.chainId, bridge: RIVAL, queryAll } as SolverChain
    return isOfferStale({ db, account, chains: [chain] }, deposit)
  }
  expect(await isStale(RIVAL, RIVAL)).toBe(false)
  await pool.query(
    "update app.transaction set requested_at = now() - interval '301 seconds' where id = $1",
    [deposit.id],
  )
  expect(await isStale(RIVAL, RIVAL)).toBe(true)
  expect(await isStale(RIVAL, account.address)).toBe(false)
  expect(await isStale(account.address, account.address)).toBe(false)
})
