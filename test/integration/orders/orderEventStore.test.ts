import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { VaultChain } from '../../../services/orders/chain/vaultChain.ts'
import { checkIsNotMoved } from '../../../services/orders/execution/checkOrderCanBeFunded.ts'
import { requestVaultCall } from '../../../services/orders/execution/requestVaultCall.ts'
import { encodeCloseCall } from '../../../services/orders/execution/takeOrderSteps.ts'
import { findUnservedOrders } from '../../../services/orders/follow/findUnservedOrders.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import {
  appendOrderEvents,
  dropOrderEvents,
  loadOrderEvents,
} from '../../../services/orders/follow/orderEventStore.ts'
import { readCiphertext } from '../../../services/orders/follow/readCiphertext.ts'
import { migrateOrdersDatabase } from '../../../services/orders/migrateOrdersDatabase.ts'
import {
  findRecordedRefusal,
  MAX_REFUSED,
  recordRefusal,
} from '../../../services/orders/refusedOrders.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { closed, fired, funded, START } from '../../unit/order/orderCase.ts'
import { describeRequestedGas } from './describeRequestedGas.ts'
import { readCopiedEvents } from './readCopiedEvents.ts'

let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrateOrdersDatabase(postgres.databaseUrl)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

const START_BLOCK = 1_000
const chain = {
  chainId: 84532,
  vault: '0xa1',
  bridge: '0xb1',
  config: { startBlock: START_BLOCK },
} as unknown as VaultChain
const to = (blockNumber: number) => ({ blockNumber, blockHash: '0x01' })
const typesOf = async (of: VaultChain) =>
  (await readCopiedEvents(database.db, of))?.events.map(({ type }) => type)

it('copied events never have a gap: after another instance dropped them, only a full read restores them', async () => {
  const { db } = database
  const before = START_BLOCK - 1
  expect(await appendOrderEvents(db, chain, [funded()], to(1_010), before)).toBe(true)
  expect(await appendOrderEvents(db, chain, [fired(0, START + 20)], to(1_030), 1_010)).toBe(true)
  expect(await typesOf(chain)).toEqual(['OrderFunded', 'TrancheFired'])
  await dropOrderEvents(db, chain)
  const close = closed(1n, 2, START + 40)
  expect(await appendOrderEvents(db, chain, [close], to(1_050), 1_030)).toBe(false)
  expect(await readCopiedEvents(db, chain)).toBeNull()
  expect(await appendOrderEvents(db, chain, [funded()], to(1_010), before)).toBe(true)
  expect(await appendOrderEvents(db, chain, [close], to(1_050), 1_030)).toBe(false)
  expect(await typesOf(chain)).toEqual(['OrderFunded'])
})

it('copied events are read in pages, which may end within a block', async () => {
  const { db } = database
  await dropOrderEvents(db, chain)
  const inOneBlock = [0, 1, 2].map((n) => {
    const event = fired(n, START + 20)
    return { ...event, point: { ...event.point, logIndex: 9 + n } }
  })
  const events = [funded(), ...inOneBlock, closed(1n, 2, START + 30)]
  expect(await appendOrderEvents(db, chain, events, to(1_040), START_BLOCK - 1)).toBe(true)
  for (const page of [1, 2, 3, 5, 6])
    expect(await readCopiedEvents(db, chain, page)).toEqual({ cursor: to(1_040), events })
  await dropOrderEvents(db, chain)
})

it('open orders of a chain or vault that is configured no more are counted, also after its copy has gone', async () => {
  const { db } = database
  const other = { ...chain, vault: '0xa2' } as VaultChain
  const save = async (...events: ChainEvent[]) => {
    await dropOrderEvents(db, chain)
    const end = to(1_040 + events.length)
    expect(await appendOrderEvents(db, chain, events, end, START_BLOCK - 1)).toBe(true)
    return [{ chainId: 84532, vault: '0xa1', openOrders: 1, blockNumber: end.blockNumber }]
  }
  const open = await save(funded(), fired(0, START + 20))
  expect(await findUnservedOrders(db, [chain])).toEqual([])
  expect(await findUnservedOrders(db, [])).toEqual(open)
  expect(await findUnservedOrders(db, [other])).toEqual(open)
  // It gets another vault, and all restart.
  expect(await appendOrderEvents(db, other, [], to(1_060), START_BLOCK - 1)).toBe(true)
  expect(await findUnservedOrders(db, [other])).toEqual(open)
  // The former one for a moment, of which nothing is copied again.
  expect(await findUnservedOrders(db, [chain])).toEqual([])
  expect(await findUnservedOrders(db, [other])).toEqual(open)

  await save(funded(), fired(0, START + 20), closed(3_500n, 2, START + 30))
  expect(await findUnservedOrders(db, [])).toEqual([])
  // Nothing is left of it, or less than a tranche that its owner still has in the vault.
  await save(funded(START, { total: 2_000n }), fired(0, START + 20), fired(1, START + 80))
  expect(await findUnservedOrders(db, [])).toEqual([])
  const rest = await save(funded(), ...[0, 1, 2].map((n) => fired(n, START + 20 + n)))
  expect(await findUnservedOrders(db, [])).toEqual(rest)
  // A row that no vault emitted.
  await sql`update orders.event set args = args || '{"totalAmount":"-"}' where type = 'OrderFunded'`.execute(
    db,
  )
  await sql`truncate orders.former_vault`.execute(db)
  expect(await findUnservedOrders(db, [])).toEqual([])
  await dropOrderEvents(db, chain)
})

it('an order of a former vault is refused, even if that vault was served for a moment only', async () => {
  const { db } = database
  const orderId = `0x${'0d'.repeat(32)}` as const
  const client = { readContract: async () => ({ owner: `0x${'0e'.repeat(20)}` }) }
  const nodes = { queryAll: async (ask: (of: typeof client) => unknown) => [await ask(client)] }
  const check = ({ chainId, vault }: VaultChain) =>
    checkIsNotMoved({ db }, { chainId, vault, nodes } as never, orderId)
  const other = { ...chain, vault: '0xa3' } as VaultChain
  await sql`truncate orders.former_vault`.execute(db)
  await findUnservedOrders(db, [chain])
  await check(chain)
  await findUnservedOrders(db, [other])
  await expect(check(other)).rejects.toThrow('an earlier vault')
  await findUnservedOrders(db, [chain])
  await findUnservedOrders(db, [other])
  await expect(check(other)).rejects.toThrow('an earlier vault')
  await sql`truncate orders.former_vault`.execute(db)
})

it('the ciphertext of an order that is over comes from its copied event', async () => {
  const { db } = database
  await dropOrderEvents(db, chain)
  const book = createFoldedOrders()
  const events = [funded(), closed(3_500n, 2, START + 30)]
  for (const event of events) book.apply(event)
  const [order] = book.ended() ?? []
  await expect(readCiphertext(db, order!)).rejects.toMatchObject({ code: 'INDEX_NOT_READY' })
  await appendOrderEvents(db, chain, events, to(1_040), START_BLOCK - 1)
  expect([await readCiphertext(db, order!)]).toEqual(
    events.flatMap((event) => (event.type === 'OrderFunded' ? [event.args.encrypted] : [])),
  )
  await dropOrderEvents(db, chain)
})

it('copied events are read by their index, without sorting all of them for each page', async () => {
  const databaseUrl = await postgres.createDatabase('cramped')
  await migrateOrdersDatabase(databaseUrl)
  const writer = openDatabase({ databaseUrl })
  onTestFinished(writer.close)
  // No statistics yet, as after a restore.
  const events = Array.from({ length: 3_000 }, (_, n) => fired(n, START + n))
  expect(await appendOrderEvents(writer.db, chain, events, to(9_000), START_BLOCK - 1)).toBe(true)
  // Nothing larger than this can be sorted: that would need a file, and none is allowed.
  const client = await postgres.connect()
  await client.query(`alter database cramped set work_mem = '64kB'`)
  await client.query('alter database cramped set temp_file_limit = 0')
  const reader = openDatabase({ databaseUrl })
  onTestFinished(reader.close)
  expect((await readCopiedEvents(reader.db, chain, 1_000))?.events).toHaveLength(3_000)
})

it('copied events contain none of an earlier vault', async () => {
  const { db } = database
  const other = { ...chain, vault: '0xa2' } as VaultChain
  expect(await appendOrderEvents(db, chain, [funded()], to(1_090), START_BLOCK - 1)).toBe(true)
  expect(await readCopiedEvents(db, other)).toBeNull()
  expect(
    await appendOrderEvents(db, other, [fired(0, START + 20)], to(1_030), START_BLOCK - 1),
  ).toBe(true)
  expect(await typesOf(other)).toEqual(['TrancheFired'])
  expect(await appendOrderEvents(db, chain, [], to(1_060), 1_050)).toBe(false)
})

it('each chain has its own copy, which another one’s doesn’t change', async () => {
  const { db } = database
  const other = { ...chain, chainId: 1 } as VaultChain
  for (const one of [chain, other]) await dropOrderEvents(db, one)
  expect(await appendOrderEvents(db, chain, [funded()], to(1_030), START_BLOCK - 1)).toBe(true)
  expect(await readCopiedEvents(db, other)).toBeNull()
  expect(await appendOrderEvents(db, other, [fired(0, START)], to(1_010), 1_010)).toBe(false)
  const before = START_BLOCK - 1
  expect(await appendOrderEvents(db, other, [fired(0, START)], to(1_010), before)).toBe(true)
  expect(await readCopiedEvents(db, chain)).toEqual({ cursor: to(1_030), events: [funded()] })
  expect(await readCopiedEvents(db, other)).toEqual({
    cursor: to(1_010),
    events: [fired(0, START)],
  })
  await dropOrderEvents(db, other)
  expect(await readCopiedEvents(db, chain)).toEqual({ cursor: to(1_030), events: [funded()] })
  expect(await readCopiedEvents(db, other)).toBeNull()
})

it('an instance that is behind another leaves the copied events as they are', async () => {
  const { db } = database
  await dropOrderEvents(db, chain)
  const before = START_BLOCK - 1
  const events = [funded(), fired(0, START + 20)]
  expect(await appendOrderEvents(db, chain, events, to(1_030), before)).toBe(true)
  expect(await appendOrderEvents(db, chain, [funded()], to(1_010), before)).toBe(true)
  expect(await readCopiedEvents(db, chain)).toEqual({ cursor: to(1_030), events })
})

it('a copy with a row that can’t be read, or that no vault emits, is dropped, and restored from the chain', async () => {
  const { db, pool } = database
  await dropOrderEvents(db, chain)
  const changes = [
    `args = '{"orderId": 7}'`,
    `args = args || '{"totalAmount": "many"}'`,
    `point = 'null'`,
    `point = point - 'blockTimestamp'`,
    `type = 'Nothing'`,
    `args = args || '{"destChainId": "0"}'`,
  ]
  for (const change of changes) {
    expect(await appendOrderEvents(db, chain, [funded()], to(1_010), START_BLOCK - 1)).toBe(true)
    expect(await typesOf(chain)).toEqual(['OrderFunded'])
    await pool.query(`update orders.event set ${change}`)
    const cursor = await loadOrderEvents(db, chain, createFoldedOrders().apply)
    expect([change, cursor]).toEqual([change, null])
    expect(await readCopiedEvents(db, chain)).toBeNull()
  }
  expect(await appendOrderEvents(db, chain, [funded()], to(1_010), START_BLOCK - 1)).toBe(true)
  expect(await typesOf(chain)).toEqual(['OrderFunded'])
})

/** The chain that was read, its time, and our clock. */
type Clocks = { chainId: number; time: number; clock: number }

/** Records the refusal of an order by its number. */
function refuse(n: number, until: number, clocks: Partial<Clocks> = {}) {
  const { time = 0, clock = time, chainId = 1 } = clocks
  const orderId: Hex = `0x${String(n).padStart(64, '0')}`
  return recordRefusal(database.db, { chainId, orderId, code: 'FUNDING_FAILED', until }, [
    time,
    clock,
  ])
}

/** The numbers of the orders whose refusal is kept. */
async function refused(): Promise<number[]> {
  const { rows } = await database.pool.query('select order_id as id from orders.refused')
  return rows.map(({ id }) => Number(id.slice(2))).sort((one, other) => one - other)
}

async function forgetRefused(): Promise<void> {
  await database.pool.query('delete from orders.refused')
}

it('an order that was refused stays refused although its row is deleted', async () => {
  const { db } = database
  await refuse(1, 1_000)
  await forgetRefused()
  expect(await findRecordedRefusal(db, `0x${'1'.padStart(64, '0')}`)).toMatchObject({
    code: 'FUNDING_FAILED',
  })
  expect(await findRecordedRefusal(db, `0x${'2'.padStart(64, '0')}`)).toBeNull()
})

const [SOON, LATE] = [10_000, 20_000]
const [BEFORE, AFTER] = [SOON + 3_600, SOON + 3_601]

it.each([
  ['both clocks are so far', { time: AFTER }, true],
  ['our clock is ahead', { time: BEFORE, clock: LATE + AFTER }, false],
  ['its nodes’ time is ahead', { time: LATE + AFTER, clock: BEFORE }, false],
  ['our clock is set back', { time: AFTER, clock: 0 }, false],
  ['its chain wasn’t read yet', { time: 0, clock: AFTER }, false],
  ['only another chain is so far', { time: AFTER, chainId: 2 }, false],
])('the refusal of an order that can’t be funded any more, if %s', async (_, clocks, isOver) => {
  onTestFinished(forgetRefused)
  await refuse(1, SOON)
  await refuse(2, LATE)
  await refuse(3, LATE + AFTER, clocks)
  expect(await refused()).toEqual(isOver ? [2, 3] : [1, 2, 3])
})

it('an order that was refused with several messages stays refused until the last of them can’t be used', async () => {
  onTestFinished(forgetRefused)
  await refuse(1, SOON)
  await refuse(1, LATE)
  await refuse(1, SOON)
  await refuse(2, LATE + AFTER, { time: AFTER })
  expect(await refused()).toEqual([1, 2])
})

it('refusals that are over go faster than others come, and of the rest the newest stay', async () => {
  onTestFinished(forgetRefused)
  for (let n = 0; n < 30; n++) await refuse(n, n < 15 ? SOON : LATE)
  await refuse(30, LATE, { time: AFTER })
  await refuse(31, LATE, { time: AFTER })
  expect(await refused()).toEqual(Array.from({ length: 17 }, (_, n) => n + 15))
  await database.pool.query(`update orders.refused set number = number - $1 where order_id <= $2`, [
    MAX_REFUSED,
    `0x${'27'.padStart(64, '0')}`,
  ])
  await refuse(32, LATE)
  expect(await refused()).toEqual([25, 26, 27, 28, 29, 30, 31, 32])
  await refuse(33, LATE)
  expect(await refused()).toEqual([28, 29, 30, 31, 32, 33])
})

it('a call of the vault whose ended row describes another, or none, is requested as it is', async () => {
  const { db, pool } = database
  const [account, vault] = [`0x${'0a'.repeat(20)}`, `0x${'0b'.repeat(20)}`] as const
  const effect = { kind: 'closeOrder', orderId: `0x${'01'.repeat(32)}` } as const
  const request = () =>
    requestVaultCall(
      { db, account },
      { chainId: 1, vault },
      { effect, data: encodeCloseCall(effect.orderId, []) },
    )
  await request()
  await pool.query(
    `update app.transaction set state = 'failed', to_address = 'nobody', value = -1, l1_fee = 'NaN',
       gas_limit = 5`,
  )
  await request()
  const { rows } = await pool.query(
    `select state, to_address as "to", value = 0 and l1_fee = 0 and gas_limit is null as "isCall"
     from app.transaction`,
  )
  expect(rows).toEqual([{ state: 'chosen', to: vault, isCall: true }])
})

describeRequestedGas(() => database)
