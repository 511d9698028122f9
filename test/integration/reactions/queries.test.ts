import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  countDone,
  countReactions,
  countTransactions,
} from '../../../services/reactions/countReactions.ts'
import { findCandidates } from '../../../services/reactions/findCandidates.ts'
import { reactTo } from '../../../services/reactions/reactTo.ts'
import { readReactionsHealth } from '../../../services/reactions/readHealth.ts'
import { listStuck } from '../../../services/settlement/listStuck.ts'
import { settlementProgress } from '../../../services/settlement/settlementProgress.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 2_000, seed: 3, until: 1_790_000_000 })
  database = openDatabase({ databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

/** An intent of the seed in this phase. */
async function someIntent(phase: string) {
  const client = await postgres.connect()
  const { rows } = await client.query(
    `select source_chain_id::int as "sourceChainId", intent_id as "intentId" from cairn.intent
     where phase = $1 order by intent_id desc limit 1`,
    [phase],
  )
  const { sourceChainId, intentId } = rows[0]
  return { client, sourceChainId, intentId: BigInt(intentId) }
}

it('what may be wanted is found by its rows, and not while it pauses or was refused', async () => {
  const find = () => findCandidates(database.db, { refundAfter: 0, limit: 10_000 })
  const found = await find()
  expect(found.length).toBeGreaterThan(0)
  const [first] = found as [(typeof found)[0]]
  const client = await postgres.connect()
  for (const kind of ['store', 'anchor', 'settle', 'refund']) {
    await client.query(
      `insert into app.reaction (kind, source_chain_id, intent_id, state)
       values ($1, $2, $3, 'refused')`,
      [kind, first.sourceChainId, String(first.intentId)],
    )
  }
  const isThere = (list: typeof found) => list.some(({ intentId }) => intentId === first.intentId)
  expect(isThere(await find())).toBe(false)
  await client.query(`update app.reaction set state = 'waiting'`)
  expect(isThere(await find())).toBe(true)
  await client.query(`update app.reaction set next_try_at = now() + interval '1 hour'`)
  expect(isThere(await find())).toBe(false)
  await client.query('delete from app.reaction')
})

it('what is stuck is told with its cause, the longest waiting first', async () => {
  const { client, sourceChainId, intentId } = await someIntent('deposited')
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, reason, wanted_since)
     values ('settle', $1, $2, 'TRANSACTION', now() - interval '1 hour')`,
    [sourceChainId, String(intentId)],
  )
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, problem,
       requested_at)
     values ('settle', $1, $2, '0x', '0x', '0x', 'OUT_OF_GAS', now() - interval '1 hour'),
            ('deploySafe', $1, 'x', '0x', '0x', '0x', null, now() - interval '2 hours')`,
    [sourceChainId, String(intentId)],
  )
  const stuck = await listStuck(database.db, { afterSeconds: 60, limit: 10_000 })
  const ours = stuck.filter(({ what }) => what !== 'recipients')
  expect(ours).toMatchObject([
    { what: 'deploySafe', cause: 'NO_BLOCK', intentId: null },
    { what: 'settle', cause: 'OUT_OF_GAS', intentId, sourceChainId },
  ])
  expect(await listStuck(database.db, { afterSeconds: 9_000, limit: 10_000 })).not.toContainEqual(
    expect.objectContaining({ what: 'settle' }),
  )
  expect(await countTransactions(database.db)).toHaveLength(2)
  expect(await countReactions(database.db)).toMatchObject([
    { kind: 'settle', state: 'waiting', reason: 'TRANSACTION', count: 1 },
  ])
  expect(await countDone(database.db)).toEqual([])
  expect(await readReactionsHealth(database.db)).toMatchObject({ status: 'stopped' })
  expect(await settlementProgress(database.db, { sourceChainId, intentId })).toMatchObject({
    reaction: { state: 'waiting', reason: 'TRANSACTION' },
    ...{ mined: null, problem: 'OUT_OF_GAS', isAlive: false, senderProblem: null },
  })
})

it('a reaction that has waited long is looked at again, though its intent is gone', async () => {
  const client = await postgres.connect()
  const key = { sourceChainId: 84_532, intentId: (84_532n << 64n) + 999_999n }
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, wanted_since)
     values ('anchor', $1, $2, now() - interval '1 hour')`,
    [key.sourceChainId, String(key.intentId)],
  )
  const find = () => findCandidates(database.db, { refundAfter: 0, limit: 10_000 })
  expect(await find()).toContainEqual(key)
  const heads = new Map([[key.sourceChainId, { timestamp: 1, blockNumber: 1 }]])
  const chains = { current: async () => ({ ready: [], backfilling: [], heads }) }
  await reactTo({ vault: { db: database.db }, chains } as never, key)
  expect(await find()).not.toContainEqual(key)
})
