import { describe, expect, test } from 'vitest'
import { createViews } from '../../../services/indexer/tables/createViews.ts'
import { cutoffOf, KEPT_DAYS } from '../../../services/push/journal/journalLine.ts'
import { pruneJournal } from '../../../services/push/journal/keepJournal.ts'
import { collectAll } from '../../../services/push/journal/queueJournalWork.ts'
import type { ChainHead } from '../../../services/store/chains/readChainStates.ts'
import {
  readPartOfPushJournal,
  readPushJournal,
} from '../../../services/store/push/readPushJournal.ts'
import { releaseFinal } from '../../../services/store/webhooks/webhookDeliveries.ts'
import { CHAIN, client, database, FEW, ROWS, refuseMany, rowsRead } from './growthTestbed.ts'

/** Tests of the journal of events after months, on an open testbed. */
export function describeJournalGrowth(): void {
  describe('the journal of months', () => {
    test('the journal’s oldest lines are deleted in parts, without reading the others or all deliveries', async () => {
      await fillJournal(ROWS)
      const old = Math.floor(ROWS / 32) - 1
      let deleted = 0
      const prune = async () => {
        deleted = await pruneJournal(database.db, 100)
      }
      const read = await rowsRead('app.webhook_delivery', async () => {
        expect(await rowsRead('app.push_event', prune)).toBeLessThan(10 * old)
      })
      expect(deleted).toBe(old)
      expect(read).toBeLessThan(10 * old)
      const { rows } = await client.query(
        `select count(*)::integer as lines, min(sequence)::bigint as first,
       (select count(*)::integer from app.webhook_delivery) as deliveries,
       (select pruned_to from app.push_cursor) as pruned from app.push_event`,
      )
      const [{ first, pruned, ...left }] = rows
      expect(left).toEqual({ lines: ROWS - old, deliveries: ROWS - old })
      expect(Number(first)).toBe(Number(pruned) + 1)
    })

    test('a reader who wants few of a month’s lines gets them by statements that look at few', async () => {
      await fillJournal(ROWS)
      const { rows } = await client.query(
        `update app.push_event set type = 'intent.failed'
         where sequence = (select max(sequence) from app.push_event) returning sequence`,
      )
      const upTo = Number(rows[0].sequence)
      await client.query('analyze app.push_event')
      const most = 1_000
      let [after, parts] = [0, 0]
      const found: number[] = []
      while (after < upTo) {
        const read = await rowsRead('app.push_event', async () => {
          const range = { after, upTo, limit: 100, most }
          const part = await readPartOfPushJournal(
            database.db,
            { types: ['intent.failed'], chain: CHAIN },
            range,
          )
          found.push(...part.lines.map(({ sequence }) => sequence))
          after = part.readTo
        })
        expect(read).toBeLessThan(2.1 * most)
        parts += 1
      }
      expect(found).toEqual([upTo])
      expect(parts).toBe(ROWS / most)
    })

    test('the parts of the journal are together all of its lines, each once and in order, wherever they end', async () => {
      await fillJournal(60)
      // Aborted transactions and other lines leave gaps.
      await client.query(`delete from app.webhook_delivery where sequence % 4 = 0`)
      await client.query(`delete from app.push_event where sequence % 4 = 0`)
      await client.query(`update app.push_event set type = 'intent.failed' where sequence % 3 = 0`)
      const filter = { types: ['intent.failed'] }
      const { db } = database
      const all = await readPushJournal(db, filter, { after: 0, limit: 1_000 })
      const wanted = all.map(({ sequence }) => sequence)
      expect(wanted.length).toBeGreaterThan(10)
      for (const most of [1, 2, 3, 7, 45, 1_000])
        for (const limit of [1, 2, 100])
          for (const upTo of wanted.slice(-2)) {
            const found: number[] = []
            for (let after = 0; after < upTo; ) {
              const part = await readPartOfPushJournal(db, filter, { after, upTo, limit, most })
              found.push(...part.lines.map(({ sequence }) => sequence))
              expect(part.readTo).toBeGreaterThan(after)
              after = part.readTo
            }
            expect(found).toEqual(wanted.filter((sequence) => sequence <= upTo))
          }
    })

    test('a delivery is released without reading other intents’ lines, or all of a long order’s', async () => {
      await createViews(client, [])
      await client.query(
        `create or replace view cairn.chain_clock as select ${CHAIN}::bigint as chain_id, 9e9::bigint as timestamp,
           1::bigint as block_number, 1::bigint as safe_block, 1::bigint as finalized_block`,
      )
      await fillJournal(ROWS)
      await client.query(
        `with newest as (select sequence from app.push_event order by 1 desc limit 1000)
         update app.push_event line set intent_id = null, order_id = '0x01', key = line.sequence
         from newest where newest.sequence = line.sequence and line.sequence % 2 = 0;
         update app.webhook_delivery set status = 'held' where delivery_id in (
           select delivery_id from app.webhook_delivery order by 1 desc limit 10);
         analyze app.push_event, app.webhook_delivery`,
      )
      const release = () => releaseFinal(database.db)
      expect(await rowsRead('app.push_event', release)).toBeLessThan(FEW)
      const { rows } = await client.query(
        `select count(*)::integer as released from app.webhook_delivery where status = 'due'`,
      )
      expect(rows).toEqual([{ released: 10 }])
      await createViews(client, [])
    })

    test('any number of events that become final at once are released, in small parts', async () => {
      await createViews(client, [])
      await client.query(
        `create or replace view cairn.chain_clock as select ${CHAIN}::bigint as chain_id, 9e9::bigint as timestamp,
           1::bigint as block_number, 1::bigint as safe_block, 1::bigint as finalized_block`,
      )
      await fillJournal(2_500)
      await client.query(
        `update app.webhook_delivery set status = 'held';
         update app.push_event set stands = false where sequence = (select max(sequence) from app.push_event)`,
      )
      await refuseMany('app.webhook_delivery', 'update', 1_000)
      await releaseFinal(database.db)
      const { rows } = await client.query(
        `select status, count(*)::integer as count from app.webhook_delivery group by 1 order by 1`,
      )
      expect(rows).toEqual([
        { status: 'dropped', count: 1 },
        { status: 'due', count: 2_499 },
      ])
      await createViews(client, [])
    })

    test('the journal of a chain that is taken out of service ages by the other chains’ clock', async () => {
      await fillJournal(320)
      await client.query(`insert into app.push_chain values (1, 'other', 1, 1, 116 * 86400)`)
      expect(await pruneJournal(database.db)).toBe(9)
      await client.query('update app.projection set active = false')
      expect(await pruneJournal(database.db)).toBe(160)
    })

    test('a false head in the future makes no line old', async () => {
      await fillJournal(320)
      await client.query(
        `update app.push_event set at = extract(epoch from now());
         update app.push_chain set timestamp = 9e9`,
      )
      expect(await pruneJournal(database.db)).toBe(0)
      const soon = Date.now() / 1_000 - KEPT_DAYS * 86_400
      expect(cutoffOf({ head: { timestamp: 9e9 } })).toBeLessThanOrEqual(soon)
    })

    test('after an upgrade, a month of the journal is re-examined in small parts', async () => {
      await createViews(client, [])
      await fillJournal(ROWS)
      const most = 2_000
      await refuseMany('app.push_pending', 'insert', most)
      const chain = { chainId: CHAIN, head: { timestamp: 100 * 86_400 } as ChainHead }
      await collectAll(database.db, chain, most)
      const { rows } = await client.query('select count(*)::integer as count from app.push_pending')
      expect(rows).toEqual([{ count: ROWS }])
    })
  })
}

/** Lines of the journal, from 32 days ago to now, each with a delivery to an active webhook. */
async function fillJournal(lines: number): Promise<void> {
  await client.query(
    `insert into app.webhook_endpoint (endpoint_id, url, chain_id, mode, key_id, sealed_secret)
     values ('hooked', 'https://example.com', $1, 'instant', 'k', '')`,
    [CHAIN],
  )
  await client.query(
    `insert into app.projection (schema_name, chain_id, chain_name, build, active) values ('any', $1, 'any', '', true)`,
    [CHAIN],
  )
  await client.query(`insert into app.push_chain values ($1, 'any', 1, 1, 100 * 86400)`, [CHAIN])
  await client.query(`insert into app.push_cursor (sequence) values (1) on conflict do nothing`)
  await client.query(
    `with line as (
       insert into app.push_event (type, key, chain_id, at, source_chain_id, dest_chain_id, intent_id, sender, data)
       select 'intent.created', 'created', $1, (68 + 32.0 * n / $2) * 86400, $1, 1, n, '0x', '{}'
       from generate_series(1, $2::integer) n returning sequence)
     insert into app.webhook_delivery (endpoint_id, sequence, status) select 'hooked', sequence, 'delivered' from line`,
    [CHAIN, lines],
  )
  await client.query('analyze')
}
