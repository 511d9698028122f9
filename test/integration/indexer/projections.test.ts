import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { TABLE_LAYOUTS } from '../../../services/indexer/tables/tableLayouts.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { TABLE_NAMES } from '../../../src/table/tableShapes.ts'
import { createChainTables } from '../../../tools/seed/createChainTables.ts'
import { createPlaceholderBlob } from '../../rig/placeholderBlob.ts'
import { describeReindex } from '../push/describeReindex.ts'
import { type BridgePair, readChainEvents, startBridgePair } from './bridgePair.ts'
import { expectStateHash } from './expectStateHash.ts'
import {
  awaitCaughtUp,
  awaitLive,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from './indexerUnderTest.ts'
import { readRows, replayRows } from './projectedRows.ts'

let pair: BridgePair
let database: TestDatabase
let indexer: Indexer

beforeAll(async () => {
  ;[pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  // Half of the history is there before the indexer is: it comes by backfill, the rest live.
  const { play } = pair
  const settled = await play.create(createPlaceholderBlob(0, 84532, 0))
  await play.anchor(settled)
  await play.bid(settled)
  await play.endAuction()
  await play.deposit(settled)
  await play.settle(settled, await play.deliver(settled))
  await play.cancel(await play.create())
  await pair.base.client.mine({ blocks: 70 })
  await pair.horizen.client.mine({ blocks: 70 })
  indexer = await startTestIndexer(database.url, [pair.base.config, pair.horizen.config])
})

afterAll(async () => {
  await indexer?.stop()
  await Promise.all([pair?.stop(), database?.stop()])
})

async function expectRowsOfReplay() {
  await awaitCaughtUp(database.client, pair.base)
  await awaitCaughtUp(database.client, pair.horizen)
  const [onBase, onHorizen] = await Promise.all([
    readChainEvents(pair.base),
    readChainEvents(pair.horizen),
  ])
  const events = [...onBase, ...onHorizen]
  const rows = await readRows(database.client, [pair.base.chainId, pair.horizen.chainId])
  expect(rows).toEqual(replayRows(events))
  await expectStateHash(database.url, pair.base.chainId, onBase)
  await expectStateHash(database.url, pair.horizen.chainId, onHorizen)
  return { rows, events }
}

test('a chain’s views are empty until it is ready, then hold its whole history', async () => {
  expect((await database.client.query('select 1 from cairn.event')).rowCount).toBe(0)
  await Promise.all([awaitLive(indexer, pair.base), awaitLive(indexer, pair.horizen)])
  const { events } = await expectRowsOfReplay()
  expect(events.map(({ type }) => type)).toContain('IntentSettled')
  const { rows } = await database.client.query('select count(*) from app.change_log')
  expect(Number(rows[0].count)).toBe(0)
})

test('live events write every table, and each change reaches a listener', async () => {
  const heard: { table: string; intentId: string; sequence: string }[] = []
  database.client.on('notification', ({ payload }) => heard.push(JSON.parse(payload ?? '')))
  await database.client.query('listen cairn_change')
  const { play } = pair
  const failed = await play.create()
  await play.anchor(failed)
  await play.append(failed)
  await play.bid(failed)
  await play.bid(failed, 2n)
  const expired = await play.create()
  await play.endAuction()
  await play.deposit(failed, 2n)
  await play.refund(expired)
  await play.letDeliveryPass()
  await play.refund(failed)
  await play.collectFees()
  await announceDestination(137n)
  const order = await play.fundOrder(1)
  await play.fireTranche(order, 0)
  await play.closeOrder(order)

  const { rows } = await expectRowsOfReplay()
  for (const table of TABLE_NAMES) {
    expect(Object.keys(rows[table]).length, `rows of ${table}`).toBeGreaterThan(0)
  }
  await database.client.query('unlisten cairn_change')
  database.client.removeAllListeners('notification')

  const ofFailed = heard.filter(({ intentId }) => intentId === String(failed))
  const tables = ofFailed.map(({ table }) => table)
  expect(new Set(tables)).toEqual(new Set(['event', 'intent', 'bid']))
  const sequences = ofFailed.map(({ sequence }) => BigInt(sequence))
  expect(sequences).toEqual([...sequences].sort((a, b) => (a < b ? -1 : 1)))
  const logged = await database.client.query(
    `select max(c.sequence) as latest, max(p.base_sequence) as base from app.change_log c, app.projection p
     where c.source_chain_id = $1 and c.intent_id = $2 and p.chain_id = $1`,
    [pair.base.chainId, String(failed)],
  )
  expect(BigInt(logged.rows[0].latest)).toBe(sequences.at(-1))
  expect(BigInt(logged.rows[0].base)).toBeLessThan(sequences[0] as bigint)
})

/** The owner announces that a chain is to be listed. */
async function announceDestination(destChainId: bigint): Promise<void> {
  const { client, contracts } = pair.base
  const abi = bridgeIntentV2Abi
  const args = [destChainId] as const
  const change = encodeFunctionData({ abi, functionName: 'listDestination', args })
  await createAccountSender(client, deriveDevnetAccounts().deployer).execute({
    to: contracts.bridge,
    data: encodeFunctionData({ abi, functionName: 'announce', args: [change] }),
  })
}

test('tables created without Ponder equal Ponder’s', async () => {
  const { client } = database
  const schema = 'cairn_1_seeded'
  await createChainTables(client, { chainId: 1, chainName: 'ethereum_mainnet', schema })
  const live = indexer.statuses()[0]?.schema as string
  const describe = async (name: string) => {
    const columns = await client.query(
      `select table_name, column_name, ordinal_position, is_nullable, data_type, numeric_precision, numeric_scale
       from information_schema.columns where table_schema = $1 and table_name = any($2)
       order by 1, 3`,
      [name, [...TABLE_LAYOUTS.map((table) => table.name), '_ponder_checkpoint', '_ponder_meta']],
    )
    const indexes = await client.query(
      `select tablename, replace(indexdef, schemaname, '') as definition from pg_indexes
       where schemaname = $1 and tablename = any($2) and indexname not in (
         select conname from pg_constraint where connamespace = $1::regnamespace and contype = 'p')
       order by 1, 2`,
      [name, TABLE_LAYOUTS.map((table) => table.name)],
    )
    const keys = await client.query(
      `select c.relname, pg_get_constraintdef(k.oid) as key from pg_constraint k
       join pg_class c on c.oid = k.conrelid
       where k.connamespace = $1::regnamespace and k.contype = 'p' and c.relname = any($2) order by 1`,
      [name, TABLE_LAYOUTS.map((table) => table.name)],
    )
    return { columns: columns.rows, indexes: indexes.rows, keys: keys.rows }
  }
  const own = await describe(schema)
  expect(own.columns.length).toBeGreaterThan(100)
  expect(own.indexes.length).toBeGreaterThan(15)
  expect(own).toEqual(await describe(live))
})

// Last: another build's index takes the place of this one's.
describe('the journal of events', () => describeReindex(() => ({ pair, database })))
