import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Repeated } from '../../../services/process/repeat.ts'
import { keepDelivering, type Places } from '../../../services/push/deliver/keepDelivering.ts'
import { createPostWebhook } from '../../../services/push/deliver/postWebhook.ts'
import type { Resolve } from '../../../services/push/deliver/publicIpLookup.ts'
import {
  loadWebhookDecryptionKey,
  publishKey,
} from '../../../services/push/deliver/webhookDecryptionKey.ts'
import { until } from '../../rig/until.ts'
import { ADMIN_TOKEN, type PushRig } from './pushRig.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver.ts'

/** See push.test.ts: whose delivery is next, with fewer places than webhooks would take, and whose fault a failure is. */
export function describeFairDelivery(open: () => PushRig): void {
  let rig: PushRig
  let receiver: WebhookReceiver
  let delivering: Repeated | undefined
  const problems: unknown[] = []
  const faults = new Set<string>()
  /** Paths at which answers wait, and these answers. */
  const hanging = new Map<string, ServerResponse[]>()
  const directory = mkdtempSync(join(tmpdir(), 'cairn-push-turns-'))
  const key = loadWebhookDecryptionKey(join(directory, 'push.key'))

  beforeAll(async () => {
    rig = open()
    await rig.update()
    await publishKey(rig.api.database.db, key)
    receiver = await startWebhookReceiver((path, response) => {
      const waiting = hanging.get(path)
      if (waiting) waiting.push(response)
      else response.writeHead(204).end()
    })
  })
  afterEach(async () => {
    for (const [path, responses] of hanging) {
      hanging.delete(path)
      for (const response of responses) response.writeHead(204).end()
    }
    await delivering?.stop()
    await rig.client.query(`update app.webhook_endpoint set status = 'disabled'`)
    expect(problems).toEqual([])
  })
  afterAll(async () => {
    await receiver.stop()
    rmSync(directory, { recursive: true })
  })

  /** A webhook with deliveries that are due, of an intent that isn't heard of. */
  async function register(path: string, due: number, host = '127.0.0.1'): Promise<string> {
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const url = receiver.url.replace('127.0.0.1', host) + path
    const { body } = await rig.api.post('/webhooks', { url, intentId: '1' }, admin)
    await queue(body.webhook.id, due)
    return body.webhook.id
  }
  /** Further deliveries of events that it didn't get yet. */
  const queue = (id: string, count: number) =>
    rig.client.query(
      `insert into app.webhook_delivery (endpoint_id, sequence, status)
       select $1, sequence, 'due' from app.push_event line
       where not exists (select from app.webhook_delivery d where d.endpoint_id = $1 and d.sequence = line.sequence)
       order by sequence limit $2`,
      [id, count],
    )
  const deliver = (
    places: Places,
    { with: own = key, resolve }: { with?: typeof key; resolve?: Resolve } = {},
  ) => {
    delivering = keepDelivering({
      db: rig.api.database.db,
      key: own,
      places,
      pollMs: 50,
      onWork: () => () => {},
      // An answer comes when the test gives it, and not before.
      post: createPostWebhook({
        allowPrivate: true,
        timeoutMs: 2 ** 30,
        ...(resolve && { resolve }),
      }),
      onProblem: (error) => problems.push(error),
      onFault: (code) => faults.add(code),
    })
  }
  const endpoint = async (id: string) => {
    const { rows } = await rig.client.query(
      `select failures, status, retry_at, extract(epoch from retry_at - attempted_at)::float as pause
       from app.webhook_endpoint where endpoint_id = $1`,
      [id],
    )
    return rows[0]
  }
  const mayTry = (id: string) =>
    rig.client.query('update app.webhook_endpoint set retry_at = now() where endpoint_id = $1', [
      id,
    ])
  const countAt = (path: string) => receiver.idsAt(path).length
  const paths = () => receiver.received.map(({ path }) => path)

  test('hanging receivers leave a slot for every other one', async () => {
    const stuck = ['/turns/stuck1', '/turns/stuck2', '/turns/stuck3']
    for (const path of stuck) {
      hanging.set(path, [])
      await register(path, 3)
    }
    await register('/turns/honest', 3)
    // Two for whoever comes first, and one for each of the others.
    deliver({ shared: 2, all: 5 })
    await until(() => countAt('/turns/honest') === 3)
    await until(() => stuck.every((path) => countAt(path) > 0))
    expect([...hanging.values()].flat().length).toBeLessThanOrEqual(4)
  })

  test('a failing receiver gets one delivery at a time, and none during its pause', async () => {
    const failing = await register('/turns/failing', 5)
    await rig.client.query(
      `update app.webhook_endpoint set failures = 1, retry_at = now() + interval '4 minutes' where endpoint_id = $1`,
      [failing],
    )
    const answers: ServerResponse[] = []
    hanging.set('/turns/failing', answers)
    const witness = await register('/turns/witness', 1)
    deliver({ shared: 10, all: 20 })
    // Whoever took this looked at the other one, too.
    await until(() => countAt('/turns/witness') === 1)
    expect(answers).toHaveLength(0)

    await mayTry(failing)
    await until(() => answers.length > 0)
    await queue(witness, 1)
    await until(() => countAt('/turns/witness') === 2)
    expect(answers).toHaveLength(1)

    answers[0]?.writeHead(500).end()
    await until(async () => (await endpoint(failing)).failures === 2)
    expect((await endpoint(failing)).pause).toBeGreaterThanOrEqual(10)
    hanging.delete('/turns/failing')
    // On a machine that is slow enough the pause is over by now.
    for (const later of answers.slice(1)) later.writeHead(204).end()
    await mayTry(failing)
    // The one that failed is tried again by its own schedule.
    await until(() => new Set(receiver.idsAt('/turns/failing')).size === 5)
    await until(async () => (await endpoint(failing)).failures === 0)
    expect((await endpoint(failing)).retry_at).toBe(null)
  })

  test('no pause or lease lasts longer because the database’s clock was set back', async () => {
    const paused = await register('/turns/paused', 1)
    const leased = await register('/turns/leased', 1)
    const held = await register('/turns/held', 1)
    // As they were set while the clock was an hour ahead, and one while it was 25 seconds ahead: its holder may be at work.
    await rig.client.query(
      `update app.webhook_endpoint set failures = 1, retry_at = now() + interval '1 hour' where endpoint_id = $1`,
      [paused],
    )
    await rig.client.query(
      `update app.webhook_delivery set leased_until = now() + case endpoint_id when $1 then interval '1 hour'
         else interval '55 seconds' end where endpoint_id in ($1, $2)`,
      [leased, held],
    )
    deliver({ shared: 10, all: 20 })
    await until(() => countAt('/turns/paused') === 1 && countAt('/turns/leased') === 1)
    expect(countAt('/turns/held')).toBe(0)
  })

  test('a receiver with a delivery under way gets one more, not two', async () => {
    const answers: ServerResponse[] = []
    hanging.set('/turns/slow', answers)
    const slow = await register('/turns/slow', 1)
    const witness = await register('/turns/observer', 1)
    deliver({ shared: 10, all: 20 })
    await until(() => answers.length === 1)
    await queue(slow, 3)
    await until(() => answers.length === 2)
    await queue(witness, 1)
    await until(() => countAt('/turns/observer') === 2)
    expect(answers).toHaveLength(2)
  })

  test('a backlog delays no other webhook', async () => {
    const all = ['/turns/long1', '/turns/long2', '/turns/long3', '/turns/short']
    for (const path of all) await register(path, path === '/turns/short' ? 1 : 10)
    const before = paths().length
    deliver({ shared: 1, all: 1 })
    await until(() => paths().length >= before + 31)
    const taken = paths().slice(before)
    for (const first of [0, 4, 7]) {
      const turn = taken.slice(first, first + (first === 0 ? 4 : 3))
      expect(new Set(turn).size).toBe(turn.length)
    }
  })

  const deliveriesOf = async (id: string) => {
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    return (await rig.api.get(`/webhooks/${id}/deliveries`, admin)).body.deliveries
  }

  test('with another key, webhooks wait, and get everything once the right one is back', async () => {
    const waiting = await register('/faults/waiting', 12)
    const other = loadWebhookDecryptionKey(join(directory, 'other.key'))
    await publishKey(rig.api.database.db, other)
    const witness = await register('/faults/witness', 1)
    deliver({ shared: 10, all: 20 }, { with: other })
    await until(() => countAt('/faults/witness') === 1)
    await queue(witness, 1)
    await until(() => countAt('/faults/witness') === 2)
    await delivering?.stop()
    expect(await endpoint(waiting)).toMatchObject({ failures: 0, status: 'active', retry_at: null })
    const listed = await deliveriesOf(waiting)
    expect(listed).toHaveLength(12)
    for (const one of listed)
      expect(one).toMatchObject({ status: 'due', attempts: 0, lastError: 'SECRET_LOST' })

    await publishKey(rig.api.database.db, key)
    expect(await deliveriesOf(waiting)).toMatchObject(listed.map(() => ({ lastError: null })))
    deliver({ shared: 10, all: 20 })
    await until(() => countAt('/faults/waiting') === 12)
  })

  test('while nobody can be reached, attempts count against no receiver', async () => {
    let isDown = true
    const resolve = async () => {
      if (isDown)
        throw Object.assign(new Error('no answer'), { code: 'ETIMEOUT', syscall: 'queryA' })
      return ['127.0.0.1']
    }
    const named = await register('/faults/named', 1, 'receiver.example')
    const oneMore = () =>
      rig.client.query(
        `with again as (update app.webhook_delivery set next_at = now() where endpoint_id = '${named}')
         update app.webhook_endpoint set failures = 9, retry_at = null where endpoint_id = '${named}'`,
      )
    await oneMore()
    deliver({ shared: 10, all: 20 }, { resolve })
    const seen = async () => (await deliveriesOf(named))[0]
    await until(async () => (await seen()).lastError !== null)
    expect(await seen()).toMatchObject({ status: 'due', attempts: 0, lastError: 'NAME_UNRESOLVED' })
    expect(await endpoint(named)).toMatchObject({ failures: 9, status: 'active' })
    expect([...faults]).toEqual(['NAME_UNRESOLVED'])
    // A short outage delays no event by minutes.
    for (const [waited, least, most] of [
      [100, 99, 290],
      [3_600, 299, 310],
    ]) {
      await rig.client.query(
        `update app.push_event set recorded_at = clock_timestamp() - $2 * interval '1 second'
         where sequence in (select sequence from app.webhook_delivery where endpoint_id = $1)`,
        [named, waited],
      )
      await rig.client.query(
        'update app.webhook_endpoint set retry_at = null, attempted_at = null where endpoint_id = $1',
        [named],
      )
      await oneMore()
      await until(async () => {
        const { retry_at, pause } = await endpoint(named)
        return retry_at !== null && pause > least! && pause < most!
      })
    }
    // Another receiver answers: the network works, so that it is this one's fault.
    await register('/faults/answering', 1)
    await until(() => countAt('/faults/answering') === 1)
    await oneMore()
    await until(async () => (await endpoint(named)).status === 'disabled')
    expect((await seen()).attempts).toBe(1)
    isDown = false
    await rig.client.query(
      `update app.webhook_endpoint set status = 'active', retry_at = null where endpoint_id = '${named}'`,
    )
    await oneMore()
    await until(() => countAt('/faults/named') === 1)
  })
}
