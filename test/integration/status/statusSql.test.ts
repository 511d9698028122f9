import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildValidDeliverySql } from '../../../core/intent/buildValidDeliverySql.ts'
import { findWinnersDelivery, isValidDelivery } from '../../../core/intent/findWinnersDelivery.ts'
import {
  buildRefundBranchSql,
  REFUND_BRANCHES,
  REFUND_STATUSES,
  type RefundSqlInputs,
} from '../../../core/intent/refundSql.ts'
import { deriveRefund, type RefundTerms } from '../../../core/intent/refundStatus.ts'
import { deriveStatus, STATUSES, type Status } from '../../../core/intent/status.ts'
import {
  buildStatusBranchSql,
  STATUS_BRANCHES,
  type StatusSqlInputs,
} from '../../../core/intent/statusSql.ts'
import { toColumnName } from '../../../core/rows/columnName.ts'
import { createViews } from '../../../services/indexer/tables/createViews.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { winnersDeliverySql } from '../../../services/store/events/timelineEventsSql.ts'
import type { Delivery, KnownIntent, SourceFacts } from '../../../src/intent/intentFacts.ts'
import { createChainTables, setChainClock } from '../../../tools/seed/createChainTables.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { CLOCKS, INDEXED, randomFacts } from './arbitraryIntents.ts'

const FACTS = randomFacts(12_000, 20_251)

const SQL: StatusSqlInputs = {
  intent: 'i',
  delivered: buildValidDeliverySql('i'),
  sourceClock: 'source_clock.timestamp',
  destClock: 'dest_clock.timestamp',
}

const FROM = `FROM cairn.intent AS i
  LEFT JOIN cairn.chain_clock AS source_clock ON source_clock.chain_id = i.source_chain_id
  LEFT JOIN cairn.chain_clock AS dest_clock ON dest_clock.chain_id = i.dest_chain_id`

let server: PostgresUnderTest
let client: pg.Client

beforeAll(async () => {
  server = await startPostgresUnderTest()
  await migrate(server.databaseUrl)
  client = await server.connect()
  for (const chainId of INDEXED) await fillChain(chainId)
  await createViews(
    client,
    INDEXED.map((chainId) => ({ chainId, schema: schemaOf(chainId) })),
  )
})

afterAll(async () => {
  await client?.end()
  await server?.stop()
})

/** Each intent's status, by the branches that select it. */
function statusOfEach(sql: typeof SQL): string {
  const selects = STATUSES.flatMap((word) =>
    STATUS_BRANCHES[word].map(
      (branch) =>
        `SELECT i.intent_id AS id, '${word}' AS word ${FROM} WHERE ${buildStatusBranchSql(branch, sql)}`,
    ),
  )
  return selects.join(' UNION ALL ')
}

describe('the status rule in SQL equals the one in TypeScript', () => {
  test('on 12,000 random facts, in which every status occurs often', async () => {
    const { rows } = await client.query(statusOfEach(SQL))
    expect(sorted(rows)).toEqual(sorted(expected()))
    for (const word of STATUSES) expect([word, idsOf(word).length > 100]).toEqual([word, true])
  })

  test('for the valid delivery too', async () => {
    const { rows } = await client.query(`SELECT i.intent_id AS id ${FROM} WHERE ${SQL.delivered}`)
    const valid = FACTS.filter(({ source, deliveries }) =>
      deliveries.some((delivery) => isValidDelivery(source, delivery)),
    )
    expect(valid.length).toBeGreaterThan(50)
    expect(rows.map(({ id }) => id).sort()).toEqual(valid.map(idOf).sort())
  })

  test('the winner’s delivery that counts is read', async () => {
    const { rows } = await client.query(
      `SELECT intent.intent_id AS id, d.chain2_intent_id AS delivery FROM cairn.intent
       CROSS JOIN LATERAL (${winnersDeliverySql()}) d`,
    )
    const counting = FACTS.flatMap((facts) => {
      const delivery = findWinnersDelivery(facts)
      return delivery ? [`${idOf(facts)} ${delivery.chain2IntentId}`] : []
    })
    expect(rows.map(({ id, delivery }) => `${id} ${delivery}`).sort()).toEqual(counting.sort())
  })

  test('without clocks, no intent is late', async () => {
    const timeless = { ...SQL, sourceClock: 'null::bigint', destClock: 'null::bigint' }
    const { rows } = await client.query(statusOfEach(timeless))
    expect(sorted(rows)).toEqual(sorted(expected(new Map())))
  })
})

describe('the branches of a status select exactly the rows with that status', () => {
  for (const word of STATUSES) {
    test(word, async () => {
      const selects = STATUS_BRANCHES[word].map(
        (branch) => `SELECT i.intent_id AS id ${FROM} WHERE ${buildStatusBranchSql(branch, SQL)}`,
      )
      // UNION ALL: a row that two branches select would be there twice.
      const { rows } = await client.query(selects.join(' UNION ALL '))
      expect(rows.map(({ id }) => id).sort()).toEqual(idsOf(word).sort())
    })
  }
})

describe('the branches of a refund select exactly the intents with such a refund', () => {
  const TERMS: RefundTerms = { settlementGrace: 3 }
  const inputs: RefundSqlInputs = { ...SQL, grace: '3' }
  for (const word of REFUND_STATUSES) {
    test(word, async () => {
      const selects = REFUND_BRANCHES[word].map(
        (branch) =>
          `SELECT i.intent_id AS id ${FROM} WHERE ${buildRefundBranchSql(branch, inputs)}`,
      )
      const { rows } = await client.query(selects.join(' UNION ALL '))
      const having = FACTS.filter((facts) => deriveRefund(facts, CLOCKS, TERMS)?.status === word)
      expect(having.length).toBeGreaterThan(100)
      expect(rows.map(({ id }) => id).sort()).toEqual(having.map(idOf).sort())
    })
  }

  test('none is due if the grace period is unknown', async () => {
    const unknown = { ...inputs, grace: 'null::bigint' }
    const [branch] = REFUND_BRANCHES.due.filter(({ phase }) => phase === 'deposited')
    const { rows } = await client.query(
      `SELECT count(*)::int AS count ${FROM} WHERE ${buildRefundBranchSql(branch!, unknown)}`,
    )
    expect(rows).toEqual([{ count: 0 }])
  })
})

function expected(clocks = CLOCKS): { id: string; word: Status }[] {
  return FACTS.map((facts) => ({ id: idOf(facts), word: deriveStatus(facts, clocks).status }))
}

function idsOf(word: Status): string[] {
  return expected().flatMap((row) => (row.word === word ? [row.id] : []))
}

function idOf({ source }: KnownIntent): string {
  return source.intentId.toString()
}

function sorted(rows: { id: string; word: Status }[]): string[] {
  return rows.map(({ id, word }) => `${id} ${word}`).sort()
}

function schemaOf(chainId: number): string {
  return `cairn_${chainId}_random`
}

async function fillChain(chainId: number): Promise<void> {
  const schema = schemaOf(chainId)
  const chainName = `chain_${chainId}`
  await createChainTables(client, { chainId, chainName, schema })
  await setChainClock(client, schema, { chainId, chainName, ...CLOCKS.get(chainId)! })
  const intents = FACTS.map(({ source }) => source)
  const deliveries = FACTS.flatMap((facts) => facts.deliveries)
  await insert(
    `${schema}.intent`,
    intents.filter(({ sourceChainId }) => sourceChainId === chainId),
  )
  await insert(
    `${schema}.delivery`,
    deliveries.filter(({ destChainId }) => destChainId === chainId),
  )
}

async function insert(table: string, rows: (SourceFacts | Delivery)[]): Promise<void> {
  const json = JSON.stringify(
    rows
      .map((row) => Object.entries(row).map(([name, value]) => [toColumnName(name), value]))
      .map(Object.fromEntries),
    (_, value) => (typeof value === 'bigint' ? value.toString() : value),
  )
  await client.query(
    `INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [json],
  )
}
