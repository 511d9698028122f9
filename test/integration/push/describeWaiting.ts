import { beforeAll, expect, test } from 'vitest'
import { eventsSurface } from '../../../api/rest/events/eventsSurface.ts'
import { startApi } from '../../../api/rest/server.ts'
import { createCairnClient } from '../../../sdk/index.ts'
import { until } from '../../rig/until.ts'
import { CHAINS } from '../rest/seededApi.ts'
import { type PushRig, TABLES } from './pushRig.ts'

/** Longer than a test: who resolves before was told. */
const NEVER = 3_600_000

/** See push.test.ts. */
export function describeWaiting(open: () => PushRig): void {
  let rig: PushRig
  let intents: string[]

  beforeAll(async () => {
    rig = open()
    await rig.client.query(`create table settlement as
      select * from "${TABLES}".event where type = 'IntentSettled' order by intent_id limit 20`)
    const { rows } = await rig.client.query(
      'select distinct intent_id::text as id from settlement order by 1',
    )
    intents = rows.map(({ id }) => id)
    await rig.commit([
      `delete from "${TABLES}".event where type = 'IntentSettled' and intent_id in (select intent_id from settlement)`,
      `update "${TABLES}".intent set phase = 'deposited' where intent_id in (select intent_id from settlement)`,
    ])
    await rig.update()
  })

  async function settle(id: string): Promise<void> {
    await rig.commit([
      `insert into "${TABLES}".event select * from settlement where intent_id = ${id}`,
      `update "${TABLES}".intent set phase = 'completed' where intent_id = ${id}`,
    ])
    await rig.update()
  }

  const clientAt = (baseUrl: string) => createCairnClient({ relayer: { baseUrl }, chains: [] })
  const streams = async () =>
    /cairn_event_streams (\d+)/.exec((await rig.api.get('/metrics')).text)?.[1]

  test('waits for many intents on one stream, is told at once, and lets go of it', async () => {
    const cairn = clientAt(rig.api.url)
    const ids = intents.splice(0, 8)
    const seen: string[] = []
    const waits = ids.map((id) =>
      cairn.intent(BigInt(id)).wait({
        pollMs: NEVER,
        onUpdate: ({ status, intentId }) => seen.push(`${intentId} ${status}`),
      }),
    )
    await until(() => seen.length >= ids.length)
    await until(async () => (await streams()) === '1')
    for (const id of ids) await settle(id)
    for (const intent of await Promise.all(waits)) expect(intent.status).toBe('completed')
    expect(seen).toEqual(
      expect.arrayContaining(ids.flatMap((id) => [`${id} settled`, `${id} completed`])),
    )
    await until(async () => (await streams()) === '0')
  })

  test('asks again and again where there is no stream, and when it breaks', async () => {
    const [first, second] = intents.splice(0, 2)
    const { databaseUrl } = rig.api.postgres
    const without = await startApi({
      ...{ databaseUrl, chains: CHAINS, host: '127.0.0.1', port: 0 },
    })
    const wait = clientAt(without.url).intent(BigInt(first!)).wait({ pollMs: 20 })
    await settle(first!)
    expect((await wait).status).toBe('completed')
    await without.stop()

    const start = (port: number) =>
      startApi({
        ...{ databaseUrl, chains: CHAINS, host: '127.0.0.1', port },
        surfaces: [eventsSurface({ onProblem: () => {} })],
      })
    const before = await start(0)
    let updates = 0
    const over = clientAt(before.url)
      .intent(BigInt(second!))
      .wait({ pollMs: 50, onUpdate: () => (updates += 1) })
    await until(() => updates > 0)
    await before.stop()
    await settle(second!)
    const after = await start(before.port)
    expect((await over).status).toBe('completed')
    await after.stop()
  })

  test('a wait that is given up leaves nothing behind', async () => {
    const leaving = new AbortController()
    const wait = clientAt(rig.api.url)
      .intent(BigInt(intents[0]!))
      .wait({ pollMs: NEVER, signal: leaving.signal })
    await until(async () => (await streams()) === '1')
    leaving.abort(new Error('enough'))
    await expect(wait).rejects.toThrow('enough')
    await until(async () => (await streams()) === '0')
  })

  test('follows events from a position, over breaks, and says where it is', async () => {
    const [first, second] = intents.splice(0, 2)
    await settle(first!)
    const positions: string[] = []
    const ids = [BigInt(first!), BigInt(second!)]
    const events = clientAt(rig.api.url).events(
      { intents: ids, types: ['intent.completed'] },
      { lastEventId: '0', onPosition: (position) => positions.push(position) },
    )
    const next = async () => (await events.next()).value
    let event = await next()
    while (event.data.intentId !== first || event.data.chainEvent.type !== 'IntentSettled')
      event = await next()
    await settle(second!)
    for (let last = event; last.data.intentId !== second; last = event) event = await next()
    expect(event).toMatchObject({ type: 'intent.completed', data: { status: 'completed' } })
    await events.return(undefined)
    await until(async () => (await streams()) === '0')
    expect(positions.length).toBeGreaterThan(0)
  })
}
