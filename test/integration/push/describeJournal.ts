import { beforeAll, expect, test } from 'vitest'
import { keepJournal } from '../../../services/push/journal/keepJournal.ts'
import { writePendingChanges } from '../../../services/push/journal/writePendingChanges.ts'
import { ADVISORY_LOCKS } from '../../../services/store/database/advisoryLocks.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { readJournalBounds, readPushJournal } from '../../../services/store/push/readPushJournal.ts'
import { until } from '../../rig/until.ts'
import { manualChangeFeed } from '../../unit/store/manualChangeFeed.ts'
import { BASE, UNTIL } from '../rest/seededApi.ts'
import { type PushRig, TABLES } from './pushRig.ts'

/** See push.test.ts. */
export function describeJournal(open: () => PushRig): void {
  let rig: PushRig
  beforeAll(async () => {
    rig = open()
  })

  const typesOf = (lines: { type: string }[]) => lines.map(({ type }) => type)
  const place = (block: number) => `chain_id = ${BASE} and block_number = ${block}`
  const insertEvent = (id: string, type: string, block: number, hash: string, args = '{}') =>
    `insert into "${TABLES}".event values (${BASE}, ${block}, 0, '${hash}', ${UNTIL}, '0x07', '0x08',
    '${type}', ${BASE}, ${id}, '${args}')`
  const cancel = (intent: { id: string; sender: string }, block: number, hash: string) => [
    insertEvent(
      intent.id,
      'IntentCancelled',
      block,
      hash,
      `{"intentId":"${intent.id}","user":"${intent.sender}","amount":"1"}`,
    ),
    `update "${TABLES}".intent set phase = 'cancelled', cancel_tx_hash = '0x07', cancelled_at = ${UNTIL} where intent_id = ${intent.id}`,
  ]
  const uncancel = (intent: { id: string; phase: string }, block: number) => [
    `delete from "${TABLES}".event where ${place(block)}`,
    `update "${TABLES}".intent set phase = '${intent.phase}', cancel_tx_hash = null, cancelled_at = null where intent_id = ${intent.id}`,
  ]

  test('the first run records a month’s history of every intent and order, the second nothing', async () => {
    const lines = await rig.update()
    expect(lines.length).toBeGreaterThan(100)
    const { body } = await rig.api.get('/intents?limit=100')
    for (const { intentId, timeline, sender, refund } of body.intents) {
      const own = lines.filter((line) => line.intent_id === intentId)
      const changes = timeline
        .filter(({ at }: { at: string }) => Date.parse(at) / 1_000 >= UNTIL - 30 * 86_400)
        .flatMap(({ status, type }: { status: string | null; type: string }) => [
          ...(status ? [`intent.${status}`] : []),
          ...(type === 'IntentRefunded' ? ['intent.refunded'] : []),
        ])
      expect(typesOf(own)).toEqual(changes)
      for (const { data } of own) expect(data).toMatchObject({ intentId, sender })
      expect(own.some(({ type }) => type === 'intent.refunded')).toBe(
        Boolean(refund?.txHash) && changes.includes('intent.refunded'),
      )
    }
    const orders = lines.filter(({ order_id }) => order_id !== null)
    expect(new Set(typesOf(orders))).toContain('order.created')
    expect(new Set(typesOf(orders))).toContain('order.tranche_fired')
    expect(await rig.update()).toEqual([])
  })

  test('a new event doesn’t wait until a month of old intents is re-examined', async () => {
    const intent = await rig.pick(`phase in ('open', 'bidding')`)
    await rig.commit([
      ...cancel(intent, 908_001, '0xa0'),
      `insert into app.push_pending select source_chain_id, intent_id from cairn.intent`,
    ])
    const { db } = rig.api.database
    const { examined, written } = await writePendingChanges(db)
    expect({ examined, written }).toEqual({ examined: 200, written: 1 })
    await rig.commit(uncancel(intent, 908_001))
    expect(typesOf(await rig.update())).toEqual(['intent.reorged'])
  })

  test('events that happen meanwhile are recorded before the journal has examined all old intents', async () => {
    const intent = await rig.pick(`phase in ('open', 'bidding')`)
    await rig.commit([
      `create table examined (batch serial, lines bigint)`,
      `create function examine() returns trigger language plpgsql as $$ begin
         insert into examined (lines) select count(*) from app.push_event
           where stands and type = 'intent.cancelled' and intent_id = ${intent.id};
         if (select count(*) from examined) = 1 then
           ${cancel(intent, 908_002, '0xa4').join(';')};
         end if;
         return null;
       end $$`,
      `create trigger examine after delete on app.push_pending execute function examine()`,
      `insert into app.push_pending select source_chain_id, intent_id from cairn.intent`,
    ])
    expect(typesOf(await rig.update())).toEqual(['intent.cancelled'])
    const { rows } = await rig.client.query('select lines::integer from examined order by batch')
    expect(rows.map(({ lines }) => lines).slice(0, 3)).toEqual([0, 1, 1])
    await rig.commit(['drop function examine() cascade', 'drop table examined'])
    await rig.commit(uncancel(intent, 908_002))
    expect(typesOf(await rig.update())).toEqual(['intent.reorged'])
  })

  test('a run ends, however many events come meanwhile', async () => {
    const intent = await rig.pick(`phase in ('open', 'bidding')`)
    await rig.commit([
      `create function go_on() returns trigger language plpgsql as $$ begin
         update "${TABLES}".intent set updated_at = updated_at + 1 where intent_id = ${intent.id};
         return null;
       end $$`,
      `create trigger go_on after delete on app.push_pending execute function go_on()`,
      `insert into app.push_pending values (${BASE}, ${intent.id})`,
    ])
    expect(await rig.update()).toEqual([])
    await rig.commit(['drop function go_on() cascade'])
    await rig.update()
  })

  test('rows that make no sense keep no other intent’s events from being recorded', async () => {
    const { rows } = await rig.client.query(
      `select intent_id::text as id, sender, phase from "${TABLES}".intent
       where phase in ('open', 'bidding') order by intent_id desc limit 2`,
    )
    const [broken, sound] = rows
    const order = `0x${'0d'.repeat(32)}`
    await rig.commit([
      insertEvent(broken.id, 'IntentCancelled', 909_001, '0xa1'),
      insertEvent('null', 'OrderFunded', 909_002, '0xa2'),
      `insert into app.push_pending_order values (${BASE}, '${order}')`,
      ...cancel(sound, 909_003, '0xa3'),
    ])
    expect(await rig.update()).toMatchObject([
      { type: 'intent.cancelled', data: { intentId: sound.id } },
    ])
    await rig.commit([
      ...uncancel(sound, 909_003),
      `delete from "${TABLES}".event where ${place(909_001)} or ${place(909_002)}`,
    ])
    expect(typesOf(await rig.update())).toEqual(['intent.reorged'])
  })

  test('a log is recorded once, with its position; a reorg revokes it, and another block records it again', async () => {
    const intent = await rig.pick(`phase in ('open', 'bidding')`)
    await rig.commit(cancel(intent, 910_001, '0xaa'))
    const [reported, ...more] = await rig.update()
    expect(more).toEqual([])
    expect(reported).toMatchObject({
      type: 'intent.cancelled',
      data: {
        intentId: intent.id,
        status: 'cancelled',
        chainEvent: { type: 'IntentCancelled', blockNumber: 910_001, blockHash: '0xaa' },
      },
    })
    await rig.commit(uncancel(intent, 910_001))
    const [reorged] = await rig.update()
    expect(reorged).toMatchObject({
      type: 'intent.reorged',
      data: { reverted: [`evt_${reported!.sequence}`], chainEvent: null },
    })
    expect(['pending', 'expired']).toContain(reorged!.data.status)
    await rig.commit(cancel(intent, 910_002, '0xbb'))
    expect(await rig.update()).toMatchObject([
      { type: 'intent.cancelled', data: { chainEvent: { blockHash: '0xbb' } } },
    ])
    // The chain that had lost comes back after all: the same block is told as a new event.
    await rig.commit([...uncancel(intent, 910_002), ...cancel(intent, 910_001, '0xaa')])
    expect(typesOf(await rig.update())).toEqual(['intent.reorged', 'intent.cancelled'])
  })

  test('numbers that a failover or a restored backup sets back aren’t given to other events', async () => {
    const intent = await rig.pick(`phase in ('open', 'bidding')`)
    const { rows } = await rig.client.query('select max(sequence) as newest from app.push_event')
    const setBack = () =>
      rig.client.query('alter table app.push_event alter column sequence restart with 5')
    const { db, close } = openDatabase({ databaseUrl: rig.api.postgres.databaseUrl })
    const { feed, notify } = manualChangeFeed()
    const fail = (error: unknown) => expect.unreachable(String(error))
    await setBack()
    const journal = keepJournal({ db, feed, onProblem: fail, onUnreadable: fail })
    const newestOf = (type: string) => async () => {
      const { rows: found } = await rig.client.query(
        'select max(sequence)::bigint as newest from app.push_event where intent_id = $1 and type = $2',
        [intent.id, type],
      )
      return Number(found[0].newest)
    }
    await rig.commit(cancel(intent, 909_900, '0xac'))
    await expect.poll(newestOf('intent.cancelled')).toBeGreaterThan(Number(rows[0].newest))
    await setBack()
    notify({ kind: 'found' })
    await rig.commit(uncancel(intent, 909_900))
    const cancelled = await newestOf('intent.cancelled')()
    await expect.poll(newestOf('intent.reorged')).toBeGreaterThan(cancelled)
    // The journal may reach a restored database before the feed does.
    const turn = (what: 'lock' | 'unlock') =>
      rig.client.query(`select pg_advisory_${what}($1)`, [ADVISORY_LOCKS.journal])
    await turn('lock')
    notify({ kind: 'lost' })
    await until(async () => {
      const waiting = `select from pg_locks where locktype = 'advisory' and not granted`
      return (await rig.client.query(waiting)).rowCount === 1
    }, 'it waits for its turn')
    await rig.client.query('alter table app.push_cursor rename to gone')
    await turn('unlock')
    // Once it has failed.
    await turn('lock')
    await setBack()
    await rig.client.query('alter table app.gone rename to push_cursor')
    await turn('unlock')
    const reorged = await newestOf('intent.reorged')()
    await rig.commit(cancel(intent, 909_901, '0xad'))
    await expect.poll(newestOf('intent.cancelled'), { timeout: 5_000 }).toBeGreaterThan(reorged)
    await rig.commit(uncancel(intent, 909_901))
    await expect.poll(newestOf('intent.reorged')).toBeGreaterThan(reorged)
    await journal.stop()
    await close()
  })

  test('an intent that a reorg removes gets a line without a status', async () => {
    const intent = await rig.pick(`phase = 'completed'`)
    await rig.commit([
      `delete from "${TABLES}".event where intent_id = ${intent.id}`,
      `delete from "${TABLES}".intent where intent_id = ${intent.id}`,
    ])
    expect(await rig.update()).toMatchObject([
      { type: 'intent.reorged', data: { intentId: intent.id, status: null } },
    ])
  })

  test('a solver who was told that it won hears of the reorg by which another has won', async () => {
    const intent = await rig.pick(`phase = 'deposited'`)
    const winner = `0x${'5a'.repeat(20)}`
    const won = (solver: string) => [
      `update "${TABLES}".intent set solver = '${solver}' where intent_id = ${intent.id}`,
      `update "${TABLES}".event set block_hash = '${solver}', args = args || '{"solver":"${solver}"}'
       where intent_id = ${intent.id} and type = 'SolverDeposited'`,
    ]
    await rig.commit(won(winner))
    await rig.update()
    const { db } = rig.api.database
    const after = (await readJournalBounds(db)).newest
    await rig.commit(won(intent.solver))
    await rig.update()
    const told = async (solver: string) =>
      (
        await readPushJournal(db, { solver, intents: [BigInt(intent.id)] }, { after, limit: 9 })
      ).map(({ type }) => type)
    expect(await told(winner)).toEqual(['intent.reorged'])
    expect(await told(intent.solver)).toContain('intent.solving')
  })

  test('a deadline is recorded when the chain’s clock passes it, and revoked when the clock goes back', async () => {
    const end = UNTIL + 1_000
    const intent = await rig.pick(`phase = 'open'`)
    await rig.commit([
      `update "${TABLES}".intent set end_time = ${end}, pickup_deadline = ${end + 120} where intent_id = ${intent.id}`,
      `update "${TABLES}".event set args = args || '{"endTime":"${end}"}' where intent_id = ${intent.id} and type = 'IntentCreated'`,
    ])
    await rig.update()
    const ofIt = async () => (await rig.update()).filter(({ intent_id }) => intent_id === intent.id)
    await rig.clock(999)
    expect(await ofIt()).toEqual([])
    await rig.clock(1_000)
    expect(await ofIt()).toMatchObject([{ type: 'intent.expired', data: { chainEvent: null } }])
    await rig.clock(998)
    expect(await ofIt()).toMatchObject([{ type: 'intent.reorged', data: { status: 'pending' } }])
    await rig.clock(1_001)
    expect(await ofIt()).toMatchObject([{ type: 'intent.expired' }])
  })

  test('a restart, which briefly removes unfinalised rows, records nothing', async () => {
    const intent = await rig.pick(`phase = 'open'`)
    await rig.commit(cancel(intent, 910_010, '0xcc'))
    expect(typesOf(await rig.update())).toEqual(['intent.cancelled'])
    const state = (word: string) =>
      `update app.projection set state = '${word}' where chain_id = ${BASE} and active`
    await rig.commit([...uncancel(intent, 910_010), state('resuming')])
    expect(await rig.update()).toEqual([])
    await rig.commit(cancel(intent, 910_010, '0xcc'))
    await rig.clock(1_001)
    await rig.commit([state('live')])
    expect(await rig.update()).toEqual([])
  })

  test('intents that miss the same deadline are each recorded once, across a restart that sets the clock back and a re-index', async () => {
    const end = UNTIL + 2_000
    const { rows } = await rig.client.query(
      `select intent_id::text as id from "${TABLES}".intent where phase = 'open' order by intent_id limit 2`,
    )
    const ids: string[] = rows.map(({ id }) => id)
    for (const id of ids)
      await rig.commit([
        `update "${TABLES}".intent set end_time = ${end}, pickup_deadline = ${end + 120} where intent_id = ${id}`,
        `update "${TABLES}".event set args = args || '{"endTime":"${end}"}' where intent_id = ${id} and type = 'IntentCreated'`,
      ])
    const ofThem = async () =>
      (await rig.update()).flatMap(({ type, intent_id }) =>
        ids.includes(intent_id ?? '') ? [`${type} ${intent_id}`] : [],
      )
    await rig.clock(1_999)
    await ofThem()
    await rig.clock(2_000)
    expect((await ofThem()).toSorted()).toEqual(ids.map((id) => `intent.expired ${id}`).toSorted())
    const state = (word: string, more = '') =>
      `update app.projection set state = '${word}' ${more} where chain_id = ${BASE} and active`
    await rig.commit([state('resuming')])
    await rig.clock(1_998)
    expect(await ofThem()).toEqual([])
    await rig.clock(2_000)
    await rig.commit([state('live')])
    expect(await ofThem()).toEqual([])
    await rig.commit([
      state(
        'live',
        `, base_sequence = nextval(pg_get_serial_sequence('app.change_log', 'sequence'))`,
      ),
    ])
    expect(await ofThem()).toEqual([])
  })

  test('a rebuilt index is compared completely: only missed events are recorded', async () => {
    const intent = await rig.pick(`phase = 'open'`)
    const triggers = (word: string) =>
      ['event', 'intent'].map(
        (table) => `alter table "${TABLES}".${table} ${word} trigger cairn_change`,
      )
    const rebuilt = `update app.projection set base_sequence =
    nextval(pg_get_serial_sequence('app.change_log', 'sequence')) where chain_id = ${BASE}`
    await rig.commit([
      ...triggers('disable'),
      ...cancel(intent, 910_020, '0xdd'),
      ...triggers('enable'),
    ])
    expect(await rig.update()).toEqual([])
    await rig.commit([rebuilt])
    expect(await rig.update()).toMatchObject([{ type: 'intent.cancelled', intent_id: intent.id }])
    await rig.commit([rebuilt])
    expect(await rig.update()).toEqual([])
  })

  test('a writer killed at any moment loses nothing and records nothing twice', async () => {
    const { rows } = await rig.client.query(
      `select *, intent_id::text as id from "${TABLES}".intent where phase in ('open', 'bidding') order by intent_id limit 5`,
    )
    const before = (await rig.client.query('select count(*)::int as n from app.push_event')).rows[0]
      .n
    let deaths = 0
    for (const [at, intent] of rows.entries()) {
      await rig.commit(cancel(intent, 920_000 + at, `0xe${at}`))
      for (let delay = 0; deaths <= at; delay = (delay + 1) % 20) {
        const dying = rig.update().catch(() => {
          deaths += 1
        })
        await new Promise((resolve) => setTimeout(resolve, delay))
        await rig.client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'cairn_api' and query like '%push%' and pid <> pg_backend_pid()`,
        )
        await dying
      }
      // The pool may not have noticed yet that idle connections were ended too.
      const isDone = () =>
        rig.update().then(
          () => true,
          () => false,
        )
      await until(isDone, 'an update')
    }
    const { rows: reported } = await rig.client.query(
      `select intent_id::text as id, count(*)::int as times from app.push_event
     where type = 'intent.cancelled' and block_number >= 920000 group by 1`,
    )
    expect(new Map(reported.map(({ id, times }) => [id, times]))).toEqual(
      new Map(rows.map(({ id }) => [id, 1])),
    )
    const after = (await rig.client.query('select count(*)::int as n from app.push_event')).rows[0]
      .n
    expect(after - before).toBe(rows.length)
  })

  test('a cursor that the log hasn’t reached hides no event', async () => {
    const intent = await rig.pick(`phase in ('open', 'bidding')`)
    await rig.commit([
      `update app.push_cursor set sequence = 9e18`,
      ...cancel(intent, 930_001, '0xf1'),
    ])
    expect(typesOf(await rig.update())).toEqual(['intent.cancelled'])
    await rig.commit(uncancel(intent, 930_001))
    expect(typesOf(await rig.update())).toEqual(['intent.reorged'])
  })

  test('a chain that was reset is followed at once, one that is indexed again once it is as far as before', async () => {
    const intent = await rig.pick(`phase in ('open', 'bidding')`)
    const seen = (block: number, seconds: number) =>
      rig.commit([
        `update app.push_chain set schema_name = 'former', block_number = ${block}, timestamp = timestamp + ${seconds}
         where chain_id = ${BASE}`,
      ])
    await seen(9_000_000, 0)
    await rig.commit([
      ...cancel(intent, 930_002, '0xf2'),
      `update app.projection set ready_at = now() - interval '1 minute' where chain_id = ${BASE} and active`,
    ])
    expect(await rig.update()).toEqual([])
    const { push } = (await rig.api.get('/health')).body
    expect(push.problems.map(({ code }: { code: string }) => code)).toContain('JOURNAL_BEHIND')
    await seen(9_000_000, -1)
    // Whatever the clock that the last reorg set back revokes is another test's.
    const own = (await rig.update()).filter(({ intent_id }) => intent_id === intent.id)
    expect(typesOf(own)).toEqual(['intent.cancelled'])
    await rig.commit(uncancel(intent, 930_002))
    await rig.update()
  })

  test('several writers take turns', async () => {
    const intent = await rig.pick(`phase = 'completed'`)
    await rig.commit([
      `delete from "${TABLES}".event where intent_id = ${intent.id} and type = 'IntentSettled'`,
      `update "${TABLES}".intent set phase = 'deposited', settle_tx_hash = null, settled_at = null where intent_id = ${intent.id}`,
    ])
    const all = await Promise.all([rig.update(), rig.update()])
    const lines = new Map(all.flat().map((line) => [line.sequence, line.type]))
    expect([...lines.values()]).toEqual(['intent.reorged'])
  })
}
