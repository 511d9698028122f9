import { request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { createPushEventHub } from '../../../api/rest/events/pushEventHub.ts'
import { createPushEventRoutes } from '../../../api/rest/events/pushEventRoutes.ts'
import {
  type JournalOptions,
  tailPushEventJournal,
} from '../../../api/rest/events/tailPushEventJournal.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  type JournalLine,
  matchesFilter,
  type PushFilter,
  readPushJournal,
} from '../../../services/store/push/readPushJournal.ts'
import { replayDeliveries } from '../../../services/store/webhooks/webhookDeliveries.ts'
import { until } from '../../rig/until.ts'
import { BASE, CHAINS, HORIZEN, UNTIL } from '../rest/seededApi.ts'
import { type PushRig, TABLES } from './pushRig.ts'

/** See push.test.ts. */
export function describeEventStreams(open: () => PushRig): void {
  let rig: PushRig
  /** Open intents, a fresh one for each test. */
  let intents: { id: string; sender: string }[]

  beforeAll(async () => {
    rig = open()
    const { rows } = await rig.client.query(
      `select intent_id::text as id, sender from "${TABLES}".intent where phase = 'completed' order by intent_id`,
    )
    intents = rows
    await rig.update()
  })

  /** Something that happens to an intent: its settlement is taken back by a reorg. */
  async function happen(intent = intents.pop()!): Promise<{ id: string; sender: string }> {
    await rig.commit([
      `delete from "${TABLES}".event where intent_id = ${intent.id} and type = 'IntentSettled'`,
      `update "${TABLES}".intent set phase = 'deposited', settle_tx_hash = null, settled_at = null where intent_id = ${intent.id}`,
    ])
    await rig.update()
    return intent
  }

  type Message = { id?: string; event?: string; data?: string }

  /** Reads a stream as the standard has it. */
  async function stream(path: string, headers: Record<string, string> = {}, url = rig.api.url) {
    const leaving = new AbortController()
    const response = await fetch(`${url}${path}`, { headers, signal: leaving.signal })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    let beats = 0
    const next = async (): Promise<Message | null> => {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end === -1) {
          const { value, done } = await reader.read()
          if (done) return null
          text += value
          continue
        }
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const message: Message = {}
        for (const line of lines) {
          const [, field, value] = /^(\w*): ?(.*)$/.exec(line) ?? []
          if (field === '') beats += 1
          else if (field && field !== 'retry') message[field as keyof Message] = value!
        }
        if (message.data !== undefined) return message
      }
    }
    const leave = () => leaving.abort()
    return { status: response.status, headers: response.headers, next, leave, beats: () => beats }
  }

  const about = (message: Message | null) => JSON.parse(message!.data!).data.intentId

  test('sends the requested events from now on, with growing ids', async () => {
    const [mine, other] = [intents.pop()!, intents.pop()!]
    const one = await stream(`/events?intents=${mine.id}`)
    expect(one.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(one.headers.get('cache-control')).toBe('no-store')
    const bySender = await stream(
      `/v1/events?sender=${other.sender.toUpperCase().replace('0X', '0x')}`,
    )
    await happen(other)
    await happen(mine)
    const message = await one.next()
    expect(message).toMatchObject({ event: 'intent.reorged' })
    const body = JSON.parse(message!.data!)
    expect(body).toMatchObject({
      type: 'intent.reorged',
      id: `evt_${message!.id}`,
      data: { status: 'settled' },
    })
    expect(about(message)).toBe(mine.id)
    const others = await bySender.next()
    expect(about(others)).toBe(other.id)
    expect(Number(others!.id)).toBeLessThan(Number(message!.id))
    one.leave()
    bySender.leave()
  })

  test('a filter lets the same events through to a stream, its past and a webhook', async () => {
    const { db } = rig.api.database
    const everything = { after: 0, limit: 100_000 }
    const lines = await readPushJournal(db, {}, everything)
    const some = lines.findLast((line) => line.solver !== null && line.destChainId === HORIZEN)!
    const { intentId, sender, solver, type } = some
    const cases: [PushFilter, string, (line: JournalLine) => boolean][] = [
      [{ intents: [intentId!] }, `${intentId} as intent_id`, (line) => line.intentId === intentId],
      [{ sender }, `'${sender}' as sender`, (line) => line.sender === sender],
      [{ solver: solver! }, `'${solver}' as solver`, (line) => line.solver === solver],
      [
        { chain: HORIZEN, types: [type] },
        `${HORIZEN} as chain_id, array['${type}'] as types`,
        (line) => [line.sourceChainId, line.destChainId].includes(HORIZEN) && line.type === type,
      ],
    ]
    for (const [filter, columns, isMeant] of cases) {
      const meant = lines.filter(isMeant).map(({ sequence }) => sequence)
      expect(meant.length).toBeLessThan(lines.length)
      const sequences = (found: readonly JournalLine[]) => found.map(({ sequence }) => sequence)
      expect(sequences(lines.filter((line) => matchesFilter(line, filter)))).toEqual(meant)
      expect(sequences(await readPushJournal(db, filter, everything))).toEqual(meant)
      await rig.client.query(
        `insert into app.webhook_endpoint
         select one.* from (select ${columns}) as given cross join lateral jsonb_populate_record(
           null::app.webhook_endpoint, to_jsonb(given) || '{"endpoint_id": "filtered", "url": "https://example.com",
             "mode": "instant", "key_id": "", "sealed_secret": "", "status": "disabled", "failures": 0,
             "acted_at": 0, "created_at": "2026-01-01"}') as one`,
      )
      await replayDeliveries(db, 'filtered', everything)
      const { rows } = await rig.client.query(
        `select sequence::bigint from app.webhook_delivery where endpoint_id = 'filtered' order by 1`,
      )
      expect(rows.map(({ sequence }) => Number(sequence))).toEqual(meant)
      await rig.client.query(`delete from app.webhook_endpoint where endpoint_id = 'filtered'`)
    }
  })

  test('reconnects with the last id and misses nothing, even at an API started since', async () => {
    const [first, second, third] = [intents.pop()!, intents.pop()!, intents.pop()!]
    const path = `/events?intents=${first.id},${second.id},${third.id}&types=intent.reorged`
    const before = await stream(path)
    await happen(first)
    const seen = await before.next()
    before.leave()
    await happen(second)
    await happen(third)
    const { api } = rig
    const another = await startApi({
      databaseUrl: api.postgres.databaseUrl,
      chains: CHAINS,
      host: '127.0.0.1',
      port: 0,
      routes: [createPushEventRoutes({ onProblem: () => {} })],
    })
    const after = await stream(path, { 'last-event-id': seen!.id! }, another.url)
    expect([about(await after.next()), about(await after.next())]).toEqual([second.id, third.id])
    after.leave()
    await another.stop()
    // In the URL too, for an EventSource that begins somewhere; and 0 for everything that is kept.
    const late = await stream(`${path}&lastEventId=0`)
    const oldest = await late.next()
    expect(about(oldest)).toBe(first.id)
    late.leave()
    // The id in an event's data is a position as well.
    const { id } = JSON.parse(oldest!.data!)
    expect(id).toBe(`evt_${oldest!.id}`)
    const resumed = await stream(path, { 'last-event-id': id })
    expect(about(await resumed.next())).toBe(second.id)
    resumed.leave()
  })

  test('is kept alive while nothing happens', async () => {
    const quiet = await stream(`/events?intents=${BASE}`)
    const reading = quiet.next().catch(() => null)
    await until(() => quiet.beats() > 1)
    quiet.leave()
    await reading
  })

  test('an id of another journal is reported rather than ignored', async () => {
    const foreign = await stream('/events', { 'last-event-id': '9000000000000000' })
    expect(await foreign.next()).toMatchObject({ event: 'stream.reset' })
    const intent = await happen()
    expect(about(await foreign.next())).toBe(intent.id)
    foreign.leave()
  })

  test('refuses a position that is none, since the reader would miss events', async () => {
    for (const id of ['x', 'evt_', '-1', '99999999999999999']) {
      const answer = await rig.api.get('/events', { 'last-event-id': id })
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST'])
      expect(answer.body.error).toContain('Last-Event-ID')
    }
  })

  test.each([
    ['intents=', 400],
    ['intents=1,x', 400],
    [`intents=${Array.from({ length: 101 }, (_, i) => i + 1)}`, 400],
    ['sender=0x12', 400],
    ['types=intent.pending,recipients', 400],
    ['lastEventId=-1', 400],
    ['recipient=0x12', 400],
  ])('refuses %s', async (query, status) => {
    expect((await rig.api.get(`/events?${query}`)).status).toBe(status)
  })

  test('spends no time on each of a thousand wrong types', async () => {
    const { body } = await rig.api.get(`/events?types=${','.repeat(999)}`)
    expect(body.details).toHaveLength(1)
  })

  test('limits a client’s streams, and frees them when it disconnects', async () => {
    const held = []
    for (let i = 0; i < 4; i++) held.push(await stream('/events'))
    const refused = await rig.api.get('/events')
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    for (const one of held) one.leave()
    await until(async () => (await rig.api.get('/metrics')).text.includes('cairn_event_streams 0'))
  })

  test('counts one IPv6 /48 as one client', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const held = []
    for (let network = 1; network <= 4; network++)
      held.push(await stream('/events', from(`2001:db8:7:${network}::1`)))
    expect((await rig.api.get('/events', from('2001:db8:7:5::1'))).status).toBe(429)
    held.push(await stream('/events', from('2001:db8:8:1::1')))
    expect(held.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    for (const one of held) one.leave()
    await until(async () => (await rig.api.get('/metrics')).text.includes('cairn_event_streams 0'))
  })

  test('at the total limit, the client with the most streams loses its newest to a newcomer', async () => {
    const open = (client: number) => stream('/events', { 'x-forwarded-for': `192.0.2.${client}` })
    const held = []
    for (const client of [1, 1, 1, 1, 2, 3, 4, 5]) held.push(await open(client))
    const late = await open(6)
    expect([...held, late].map(({ status }) => status)).toEqual(new Array(9).fill(200))
    expect(await held[3]!.next()).toBeNull()
    for (const one of [...held, late]) one.leave()
    await until(async () => (await rig.api.get('/metrics')).text.includes('cairn_event_streams 0'))
  })

  test('HEAD takes no stream', async () => {
    for (let i = 0; i < 6; i++) {
      const response = await fetch(`${rig.api.url}/events`, { method: 'HEAD' })
      expect(response.status).toBe(200)
    }
    expect((await rig.api.get('/metrics')).text).toContain('cairn_event_streams 0')
  })

  test('disconnects a client that doesn’t read, and delays no other', async () => {
    const { hostname, port } = new URL(rig.api.url)
    const idle = request({ hostname, port, path: '/events' })
    idle.on('error', () => {})
    const answered = new Promise<void>((resolve) =>
      idle.on('response', (response) => {
        response.pause()
        resolve()
      }),
    )
    idle.end()
    await answered
    const reader = await stream('/events')
    const metrics = async () => (await rig.api.get('/metrics')).text
    expect(await metrics()).toContain('cairn_event_streams 2')
    // Far more than a socket and its stream hold, but never more at once than the reader's queue does.
    const ids: number[] = []
    for (let burst = 0; burst < 4; burst++) {
      await rig.client.query(
        `insert into app.push_event (type, key, chain_id, at, source_chain_id, dest_chain_id, intent_id, sender, data)
       select 'intent.pending', 'flood' || $1::int || '-' || n, ${BASE}, ${UNTIL}, ${BASE}, 1, n, '0x01', jsonb_build_object('intentId', repeat('9', 10000))
       from generate_series(1, 500) n`,
        [burst],
      )
      await rig.client.query(`notify cairn_push`)
      for (let i = 0; i < 500; i++) ids.push(Number((await reader.next())!.id))
    }
    expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other))
    await until(async () => (await metrics()).includes('cairn_event_streams 1'))
    reader.leave()
    idle.destroy()
    await until(async () => (await metrics()).includes('cairn_event_streams 0'))
  })

  /** Lines of the journal, whatever they say; the newest one's sequence. */
  async function addLines(...keys: string[]): Promise<number> {
    const { rows } = await rig.client.query(
      `insert into app.push_event (type, key, chain_id, at, source_chain_id, dest_chain_id, intent_id, sender, data)
       select 'intent.pending', key, ${BASE}, ${UNTIL}, ${BASE}, 1, 7, '0x01', '{}' from unnest($1::text[]) key
       returning sequence`,
      [keys],
    )
    return Math.max(...rows.map(({ sequence }) => Number(sequence)))
  }

  /** A hub that reads when it is woken, or two seconds later. */
  function openHub(db: Db) {
    let wake = () => {}
    const onJournal = (listener: () => void) => {
      wake = listener
      return () => {}
    }
    const hub = createPushEventHub(db, { onJournal }, (error) => {
      throw error
    })
    return { hub, wake: () => wake() }
  }

  const UNFILTERED = { filter: {}, signal: new AbortController().signal, onClose: () => {} }

  test.each([
    ['new lines only', null, 1],
    ['lines from a position', -2, 3],
  ])('a reader of %s who joins during a read for one who left gets each line once', async (kind, from, count) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let isHeld = false
    const db = rig.api.database.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (!result.rows.some((row) => 'recordedAt' in row)) return result
        isHeld = true
        await released
        return result
      },
    })
    const { hub, wake } = openHub(db)
    const options = { db, hub, ...UNFILTERED }
    const leaver = await tailPushEventJournal({ ...options, after: null })
    const newest = await addLines(`${kind} 1`, `${kind} 2`)
    wake()
    await until(() => isHeld)
    await leaver.return?.()
    const reader = await tailPushEventJournal({ ...options, after: from && newest + from })
    release()
    const last = await addLines(`${kind} 3`)
    wake()
    const sequences: number[] = []
    for (let i = 0; i < count; i++) sequences.push((await reader.next()).value.sequence)
    expect(sequences).toEqual([newest - 1, newest, last].slice(-count))
    hub.close()
  })

  test('a reader who comes from an API that was ahead of this one isn’t told to reload, and gets no line again', async () => {
    const { db } = rig.api.database
    const { hub, wake } = openHub(db)
    const options = { db, hub, ...UNFILTERED }
    await tailPushEventJournal({ ...options, after: null })
    const ahead = await addLines('ahead 1', 'ahead 2')
    const reader = await tailPushEventJournal({ ...options, after: ahead })
    const unknown = await tailPushEventJournal({ ...options, after: ahead + 1 })
    const next = reader.next()
    expect((await unknown.next()).value).toHaveProperty('prunedTo')
    const last = await addLines('ahead 3')
    wake()
    expect((await next).value).toMatchObject({ sequence: last })
    hub.close()
  })

  test('a reader hears of pruned lines that it hasn’t read, and only then; one who has left gets nothing', async () => {
    const { db } = rig.api.database
    const pruned = await addLines('pruned 1')
    await addLines('kept 1')
    await rig.client.query(`update app.push_cursor set pruned_to = ${pruned}`)
    const { hub } = openHub(db)
    const firstFor = async (more: Pick<JournalOptions, 'after'> & Partial<JournalOptions>) => {
      const reader = await tailPushEventJournal({ db, hub, ...UNFILTERED, ...more })
      return reader.next()
    }
    expect((await firstFor({ after: pruned - 1 })).value).toEqual({ prunedTo: pruned })
    for (const after of [0, pruned])
      expect((await firstFor({ after })).value).toHaveProperty('sequence')
    expect((await firstFor({ after: null, signal: AbortSignal.abort() })).done).toBe(true)
    hub.close()
    await rig.client.query('update app.push_cursor set pruned_to = 0')
  })

  test('readers who come all at once read their past in turn, since the connections wouldn’t suffice', async () => {
    let atOnce = 0
    let most = 0
    const db = rig.api.database.db.withPlugin({
      transformQuery: ({ node }) => {
        most = Math.max(most, ++atOnce)
        return node
      },
      transformResult: async ({ result }) => {
        atOnce--
        return result
      },
    })
    const { hub } = openHub(db)
    await addLines('past 1')
    const come = () => tailPushEventJournal({ db, hub, ...UNFILTERED, after: 0 })
    const readers = await Promise.all(Array.from({ length: 30 }, come))
    most = 0
    for (const { done } of await Promise.all(readers.map((reader) => reader.next())))
      expect(done).toBe(false)
    // Four readers', and the hub's own.
    expect(most).toBeLessThanOrEqual(5)
    hub.close()
  })

  test('a reader that pauses holds at most a hundred lines of its past', async () => {
    let held = 0
    const db = rig.api.database.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (result.rows.some((row) => 'recordedAt' in row)) held += result.rows.length
        return result
      },
    })
    const names = Array.from({ length: 101 }, (_, at) => `held ${at}`)
    const newest = await addLines(...names)
    const { hub } = openHub(db)
    const after = newest - names.length
    const reader = await tailPushEventJournal({ db, hub, ...UNFILTERED, after })
    const sequences = [(await reader.next()).value.sequence]
    expect(held).toBe(100)
    for (const _ of names.slice(1)) sequences.push((await reader.next()).value.sequence)
    expect(sequences).toEqual(names.map((_, at) => after + 1 + at))
    hub.close()
  })

  test('events contain only public data', async () => {
    const { rows } = await rig.client.query(
      `select distinct jsonb_object_keys(data) as name from app.push_event order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual(
      [
        ...['amountA', 'chainEvent', 'chainId', 'destChainId', 'expectedAmountB', 'intentId'],
        ...['occurredAt', 'orderId', 'owner', 'reverted', 'reward', 'sender', 'solver'],
        ...['sourceChainId', 'status', 'substatus', 'tokenA', 'tokenB'],
      ].sort(),
    )
  })
}
