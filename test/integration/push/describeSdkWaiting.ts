import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { createPushEventRoutes } from '../../../api/rest/events/pushEventRoutes.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import { createCairnClient } from '../../../sdk/index.ts'
import { until } from '../../rig/until.ts'
import { CHAINS } from '../rest/seededApi.ts'
import { type PushRig, TABLES } from './pushRig.ts'

/** Longer than a test: who resolves before was told. */
const NEVER = 3_600_000

/** See push.test.ts. */
export function describeSdkWaiting(open: () => PushRig): void {
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

  test('waits for many intents on one stream, learns of each at once, and closes it', async () => {
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

  test('polls where there is no stream, and when it breaks', async () => {
    const [first, second] = intents.splice(0, 2)
    const { databaseUrl } = rig.api.postgres
    const without = await startApi({ databaseUrl, chains: CHAINS, host: '127.0.0.1', port: 0 })
    const wait = clientAt(without.url).intent(BigInt(first!)).wait({ pollMs: 20 })
    await settle(first!)
    expect((await wait).status).toBe('completed')
    await without.stop()

    const start = (port: number) =>
      startApi({
        databaseUrl,
        chains: CHAINS,
        host: '127.0.0.1',
        port,
        routes: [createPushEventRoutes({ onProblem: () => {} })],
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

  test('without a stream it polls with the last ETag, which costs nothing', async () => {
    const [id] = intents.splice(0, 1)
    const { databaseUrl } = rig.api.postgres
    const without = await startApi({ databaseUrl, chains: CHAINS, host: '127.0.0.1', port: 0 })
    /** Of each question the tag that it had, and of its answer. */
    const asked: { had: string | undefined; status: number; tag: string | null }[] = []
    const between = createServer(async ({ url = '', headers }, response) => {
      const had = headers['if-none-match']
      const answer = await fetch(without.url + url, {
        headers: had ? { 'if-none-match': had } : {},
      })
      const tag = answer.headers.get('etag')
      if (url.startsWith('/intent-details')) asked.push({ had, status: answer.status, tag })
      response.writeHead(answer.status, tag === null ? {} : { etag: tag })
      response.end(answer.status === 304 ? undefined : await answer.text())
    })
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    const { port } = between.address() as AddressInfo
    const wait = clientAt(`http://127.0.0.1:${port}`).intent(BigInt(id!)).wait({ pollMs: 20 })
    await until(() => asked.filter(({ status }) => status === 304).length >= 2)
    await settle(id!)
    expect((await wait).status).toBe('completed')
    expect(asked.map(({ had }) => had ?? null)).toEqual([
      null,
      ...asked.slice(0, -1).map(({ tag }) => tag),
    ])
    expect([asked[0]!.status, asked.at(-1)!.status]).toEqual([200, 200])
    between.close()
    between.closeAllConnections()
    await without.stop()
  })

  test('waits for the requested status', async () => {
    const [id] = intents.splice(0, 1)
    const handle = clientAt(rig.api.url).intent(BigInt(id!))
    for (const goal of ['solving', 'settled'] as const)
      expect((await handle.wait({ until: goal, pollMs: NEVER })).status).toBe('settled')
    const whole = handle.wait({ pollMs: NEVER })
    await until(async () => (await streams()) === '1')
    await settle(id!)
    expect((await whole).status).toBe('completed')
    await until(async () => (await streams()) === '0')
  })

  test('an aborted wait leaves nothing behind', async () => {
    const leaving = new AbortController()
    const wait = clientAt(rig.api.url)
      .intent(BigInt(intents[0]!))
      .wait({ pollMs: NEVER, signal: leaving.signal })
    await until(async () => (await streams()) === '1')
    leaving.abort(new Error('enough'))
    await expect(wait).rejects.toThrow('enough')
    await until(async () => (await streams()) === '0')
  })

  test('follows events from a position, across disconnects, and reports its position', async () => {
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
