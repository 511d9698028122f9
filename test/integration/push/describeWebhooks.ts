import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { Webhook } from 'standardwebhooks'
import { type Hex, keccak256, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyWebhook } from '../../../sdk/index.ts'
import {
  registerWebhookMessage,
  type WebhookAction,
  type WebhookFilter,
  webhookMessage,
} from '../../../sdk/messages/webhookMessages.ts'
import { createPostWebhook } from '../../../services/push/deliver/postWebhook.ts'
import { startPush } from '../../../services/push/startPush.ts'
import { until } from '../../rig/until.ts'
import { BASE, HORIZEN, UNTIL } from '../rest/seededApi.ts'
import { startRole } from '../roles/startRole.ts'
import { increasingTimestamps } from './increasingTimestamps.ts'
import { ADMIN_TOKEN, type PushRig, TABLES } from './pushRig.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver.ts'

/** Kills of the role push; PUSH_KILLS=200 for a campaign. */
const KILLS = Number(process.env.PUSH_KILLS ?? 2)

/** See push.test.ts. */
export function describeWebhooks(open: () => PushRig): void {
  let rig: PushRig
  let push: Awaited<ReturnType<typeof startPush>>
  let receiver: WebhookReceiver
  /** How each path answers; 204 by default. */
  const answers = new Map<string, (response: ServerResponse) => void>()
  const directory = mkdtempSync(join(tmpdir(), 'cairn-push-'))
  const keyFile = join(directory, 'push.key')
  const owner = privateKeyToAccount(keccak256(toHex('an owner of webhooks')))
  const stranger = privateKeyToAccount(keccak256(toHex('somebody else')))
  const nextTime = increasingTimestamps()
  let block = 950_000
  let intents: { id: string; sender: Hex; dest: number }[]

  const start = async () => {
    push = await startPush({
      databaseUrl: rig.api.postgres.databaseUrl,
      log: pino({ level: 'silent' }),
      webhooks: { keyFile, allowPrivate: true },
    })
  }

  beforeAll(async () => {
    rig = open()
    await rig.update()
    receiver = await startWebhookReceiver((path, response) => {
      const answer = answers.get(path)
      if (answer) answer(response)
      else response.writeHead(204).end()
    })
    await start()
    const { rows } = await rig.client.query(
      `select intent_id::text as id, sender, dest_chain_id::integer as dest from "${TABLES}".intent
       where phase = 'completed' order by intent_id desc limit 200`,
    )
    intents = rows
  })
  afterAll(async () => {
    await push.stop()
    await receiver.stop()
    rmSync(directory, { recursive: true })
  })

  const withoutSettlement = (id: string) => [
    `delete from "${TABLES}".event where intent_id = ${id} and type = 'IntentSettled'`,
    `update "${TABLES}".intent set phase = 'deposited' where intent_id = ${id}`,
  ]

  /** The settlement is taken back: `intent.reorged`. */
  async function unsettle({ id }: { id: string }): Promise<void> {
    await rig.commit(withoutSettlement(id))
  }

  /** It is settled in a block of its own: `intent.completed`. */
  async function settle({ id }: { id: string }, at = ++block): Promise<number> {
    await rig.commit([
      ...withoutSettlement(id),
      `insert into "${TABLES}".event select ${BASE}, ${at}, 0, '0xb${at}', ${UNTIL}, '0x07', '0x08',
        'IntentSettled', ${BASE}, ${id}, jsonb_build_object('intentId', '${id}', 'solver', i.solver, 'payout', '1',
          'fee', '1', 'chain2IntentId', d.chain2_intent_id::text, 'attester', i.solver)
       from cairn.intent i join cairn.delivery d using (source_chain_id, intent_id)
       where i.intent_id = ${id} and d.solver = i.solver limit 1`,
      `update "${TABLES}".intent set phase = 'completed' where intent_id = ${id}`,
    ])
    return at
  }

  const signed = async (
    account: PrivateKeyAccount,
    message: (at: number) => string,
    timestamp = nextTime(),
  ) => {
    return {
      'x-owner-address': account.address,
      'x-owner-signature': await account.signMessage({ message: message(timestamp) }),
      'x-timestamp': String(timestamp),
    }
  }
  type Registration = { filter: WebhookFilter; delivery?: 'instant' | 'finalized' }
  const wire = ({ intentId, ...filter }: WebhookFilter) => ({
    ...filter,
    ...(intentId !== undefined && { intentId: String(intentId) }),
  })
  async function register(path: string, { filter, delivery = 'instant' }: Registration) {
    const url = receiver.url + path
    const headers = await signed(owner, (at) => registerWebhookMessage(url, filter, delivery, at))
    const { body } = await rig.api.post('/webhooks', { url, ...wire(filter), delivery }, headers)
    expect(body).toMatchObject({ success: true, secret: expect.stringMatching(/^whsec_/) })
    return { id: body.webhook.id as string, secret: body.secret as string, url }
  }
  async function act(action: WebhookAction, id: string, body: object = {}, account = owner) {
    const headers = await signed(account, (at) => webhookMessage(action, id, at))
    return rig.api.post(`/webhooks/${id}/${action}`, body, headers)
  }
  async function deliveries(id: string) {
    const headers = await signed(owner, (at) => webhookMessage('deliveries', id, at))
    return (await rig.api.get(`/webhooks/${id}/deliveries`, headers)).body.deliveries
  }
  const about = (id: string) => ({ filter: { intentId: BigInt(id) } })
  const journalOf = async (id: string, after = 0) => {
    const { rows } = await rig.client.query(
      `select 'evt_' || sequence as id from app.push_event where intent_id = ${id} and sequence > ${after} order by sequence`,
    )
    return rows.map((row) => row.id as string)
  }

  test('an event arrives once, signed, and equals the one of the event stream', async () => {
    const intent = intents.pop()!
    const { secret, id } = await register('/one', about(intent.id))
    await unsettle(intent)
    await until(() => receiver.idsAt('/one').length > 0)
    const [{ headers, body }] = receiver.received.filter(({ path }) => path === '/one') as [never]
    const event = new Webhook(secret).verify(body, headers as never)
    expect(event).toMatchObject({ type: 'intent.reorged', data: { intentId: intent.id } })
    expect(verifyWebhook(body, headers, secret)).toEqual(event)
    expect(() => verifyWebhook(`${body} `, headers, secret)).toThrow(
      expect.objectContaining({ code: 'WEBHOOK_SIGNATURE_INVALID' }),
    )
    await until(async () => (await deliveries(id))[0].status === 'delivered')
    expect(await deliveries(id)).toMatchObject([
      { eventId: (event as { id: string }).id, attempts: 1, lastStatus: 204, lastError: null },
    ])
  })

  test('registration needs a fresh signature of the whole request, valid once', async () => {
    const url = `${receiver.url}/never`
    const filter = { sender: owner.address }
    const body = { url, ...filter }
    const message = (at: number) => registerWebhookMessage(url, filter, 'instant', at)
    const good = await signed(owner, message)
    const codeOf = async (given: object, headers: Record<string, string>) =>
      (await rig.api.post('/webhooks', given, headers)).body.code
    expect(await codeOf(body, {})).toBe('SIGNATURE_REQUIRED')
    const other = await rig.api.post('/webhooks', { ...body, url: `${url}/x` }, good)
    const expected = message(Number(good['x-timestamp'])).replace(url, `${url}/x`)
    expect(other.body).toMatchObject({ code: 'INVALID_SIGNATURE', details: { message: expected } })
    expect(await codeOf({ url, sender: stranger.address }, good)).toBe('INVALID_SIGNATURE')
    expect(await codeOf({ ...body, delivery: 'finalized' }, good)).toBe('INVALID_SIGNATURE')
    expect(await codeOf(body, { ...good, 'x-owner-address': stranger.address })).toBe(
      'INVALID_SIGNATURE',
    )
    const at = Math.floor(Date.now() / 1_000) - 600
    const old = { ...good, 'x-timestamp': String(at) }
    expect(await codeOf(body, old)).toBe('STALE_TIMESTAMP')
    expect(await codeOf(body, good)).toBe(undefined)
    expect(await codeOf(body, good)).toBe('SIGNATURE_USED')
    expect(await codeOf({ url }, good)).toBe('INVALID_REQUEST')
    expect(await codeOf(body, { authorization: 'Bearer wrong' })).toBe('FORBIDDEN')
  })

  test('a webhook can be changed in the second of its registration, once', async () => {
    const filter = { solver: owner.address }
    const url = `${receiver.url}/at-once`
    const at = nextTime()
    const registration = registerWebhookMessage(url, filter, 'instant', at)
    const headers = await signed(owner, () => registration, at)
    const { id } = (await rig.api.post('/webhooks', { url, ...filter }, headers)).body.webhook
    const change = await signed(owner, () => webhookMessage('disable', id, at), at)
    const disable = () => rig.api.post(`/webhooks/${id}/disable`, {}, change)
    expect((await disable()).status).toBe(200)
    expect((await disable()).body.code).toBe('SIGNATURE_USED')
  })

  test('a wallet can have ten webhooks, an operator any number', async () => {
    const many = privateKeyToAccount(keccak256(toHex('an owner of many')))
    const url = `${receiver.url}/many`
    const filter = { sender: many.address }
    const codes = []
    for (let i = 0; i < 11; i++) {
      const headers = await signed(many, (at) => registerWebhookMessage(url, filter, 'instant', at))
      codes.push((await rig.api.post('/webhooks', { url, ...filter }, headers)).body.code)
    }
    expect(codes).toEqual([...new Array(10).fill(undefined), 'WEBHOOK_LIMIT_REACHED'])
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const made = await rig.api.post(
      '/webhooks',
      { url, chainId: BASE, types: ['order.created'] },
      admin,
    )
    expect(made.body.webhook).toMatchObject({ owner: null, chainId: String(BASE) })
    const all = (await rig.api.get('/webhooks', admin)).body.webhooks
    expect(all.length).toBeGreaterThan(10)
  })

  test('an owner can see and change only its own webhooks', async () => {
    const { id, secret } = await register('/mine', { filter: { solver: owner.address } })
    const list = async (account: PrivateKeyAccount) => {
      const headers = await signed(account, (at) => webhookMessage('list', null, at))
      const { text, body } = await rig.api.get('/webhooks', headers)
      expect(text).not.toContain(secret)
      return body.webhooks.map((one: { id: string }) => one.id)
    }
    expect(await list(owner)).toContain(id)
    expect(await list(stranger)).toEqual([])
    for (const action of ['rotate', 'replay', 'disable', 'enable'] as const)
      expect((await act(action, id, {}, stranger)).body.code).toBe('WEBHOOK_NOT_FOUND')
    // Signed for another action, another webhook; or overheard.
    const headers = await signed(owner, (at) => webhookMessage('disable', id, at))
    expect((await rig.api.post(`/webhooks/${id}/rotate`, {}, headers)).body.code).toBe(
      'INVALID_SIGNATURE',
    )
    expect((await rig.api.post(`/webhooks/${id}/disable`, {}, headers)).status).toBe(200)
    expect((await rig.api.post(`/webhooks/${id}/disable`, {}, headers)).body.code).toBe(
      'SIGNATURE_USED',
    )
  })

  test('a stolen operator’s token gets no wallet’s secret, and can’t make one invalid', async () => {
    const intent = intents.pop()!
    const { id, secret } = await register('/kept', about(intent.id))
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    for (let times = 0; times < 2; times++) {
      const { status, text } = await rig.api.post(`/webhooks/${id}/rotate`, {}, admin)
      expect(status).toBe(403)
      expect(text).not.toContain('whsec_')
    }
    await unsettle(intent)
    await until(() => receiver.idsAt('/kept').length > 0)
    const { headers, body } = receiver.received.find(({ path }) => path === '/kept')!
    expect(() => new Webhook(secret).verify(body, headers as never)).not.toThrow()
    const own = { url: `${receiver.url}/operators`, chainId: BASE, types: ['order.created'] }
    const made = (await rig.api.post('/webhooks', own, admin)).body
    const rotated = await rig.api.post(`/webhooks/${made.webhook.id}/rotate`, {}, admin)
    expect(rotated.body.secret).not.toBe(made.secret)
  })

  test('secrets are sealed in the database, and only the file’s owner can read their key', async () => {
    const { secret } = await register('/sealed', { filter: { solver: owner.address } })
    const { rows } = await rig.client.query(
      'select row_to_json(e)::text as row from app.webhook_endpoint e',
    )
    const bytes = Buffer.from(secret.slice(6), 'base64')
    for (const { row } of rows)
      for (const form of [secret.slice(6), bytes.toString('hex'), bytes.toString('base64url')])
        expect(row).not.toContain(form)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  })

  test('a rotated secret and the previous one are both valid for a day', async () => {
    const intent = intents.pop()!
    const { id, secret } = await register('/rotated', about(intent.id))
    const rotated = await act('rotate', id)
    expect(rotated.body.secret).not.toBe(secret)
    await unsettle(intent)
    await until(() => receiver.idsAt('/rotated').length > 0)
    const { headers, body } = receiver.received.find(({ path }) => path === '/rotated')!
    for (const one of [secret, rotated.body.secret])
      expect(() => new Webhook(one).verify(body, headers as never)).not.toThrow()
  })

  test('a failed delivery is retried, finally given up, and replayed on request', async () => {
    const intent = intents.pop()!
    const { id } = await register('/failing', about(intent.id))
    answers.set('/failing', (response) => response.writeHead(500).end('no'))
    await unsettle(intent)
    await until(async () => (await deliveries(id))[0]?.lastStatus === 500)
    const [first] = await deliveries(id)
    expect(first).toMatchObject({ status: 'due', attempts: 1 })
    const wait = Date.parse(first.nextAttemptAt) - Date.parse(first.lastAttemptAt)
    expect(wait).toBeGreaterThan(4_000)
    // Days later.
    await rig.client.query(
      `update app.webhook_delivery set attempts = 9, next_at = now() where endpoint_id = '${id}';
       update app.webhook_endpoint set retry_at = now() where endpoint_id = '${id}'`,
    )
    await until(async () => (await deliveries(id))[0].status === 'dead')
    answers.delete('/failing')
    expect((await act('replay', id)).body.deliveries).toBe(1)
    await until(async () => (await deliveries(id))[0].status === 'delivered')
    expect(new Set(receiver.idsAt('/failing')).size).toBe(1)
    // And everything from an event on, with the ids that it had.
    expect((await act('replay', id, { after: 'evt_0' })).body.deliveries).toBe(
      (await journalOf(intent.id)).length,
    )
    const all = await journalOf(intent.id)
    await until(() => new Set(receiver.idsAt('/failing')).size === all.length)
    expect(new Set(receiver.idsAt('/failing'))).toEqual(new Set(all))
  })

  test('410 disables a webhook, as does never accepting anything; both can be enabled again', async () => {
    const [gone, silent] = [intents.pop()!, intents.pop()!]
    const one = await register('/gone', about(gone.id))
    const two = await register('/silent', about(silent.id))
    answers.set('/gone', (response) => response.writeHead(410).end())
    answers.set('/silent', (response) => response.writeHead(404).end())
    await rig.client.query(
      `update app.webhook_endpoint set failures = 9 where endpoint_id = '${two.id}'`,
    )
    await unsettle(gone)
    await unsettle(silent)
    const statusOf = async (id: string) =>
      (
        await rig.client.query(
          `select status, disabled_by from app.webhook_endpoint where endpoint_id = '${id}'`,
        )
      ).rows[0]
    await until(async () => (await statusOf(one.id)).status === 'disabled')
    await until(async () => (await statusOf(two.id)).status === 'disabled')
    expect([await statusOf(one.id), await statusOf(two.id)].map((row) => row.disabled_by)).toEqual([
      'gone',
      'silent',
    ])
    await act('enable', one.id)
    expect((await statusOf(one.id)).status).toBe('active')
  })

  test('finalized: events are sent once they can’t be reverted, and reverted ones never', async () => {
    const [kept, lost] = [intents.pop()!, intents.pop()!]
    const at = intents.findLastIndex(({ dest }) => dest === HORIZEN)
    const [unexamined] = intents.splice(at, 1)
    for (const intent of [kept, lost, unexamined!]) await unsettle(intent)
    await rig.update()
    const { id } = await register('/final', {
      filter: { chainId: BASE, types: ['intent.completed', 'intent.reorged'] },
      delivery: 'finalized',
    })
    const instant = await register('/instant', { filter: { intentId: BigInt(lost.id) } })
    const keptAt = await settle(kept, 2_000_001)
    const lostAt = await settle(lost, 2_000_002)
    await settle(unexamined!, 2_000_003)
    await until(async () => (await deliveries(id)).length === 3)
    const statuses = async () =>
      (await deliveries(id)).map(({ status }: { status: string }) => status).toSorted()
    expect(await statuses()).toEqual(['held', 'held', 'held'])
    await until(() => receiver.idsAt('/instant').length === 1)
    await rig.commit([
      `delete from "${TABLES}".event where chain_id = ${BASE} and block_number = ${lostAt}`,
      `update "${TABLES}".intent set phase = 'deposited' where intent_id = ${lost.id}`,
    ])
    await until(async () => (await deliveries(instant.id)).length === 2)
    // The journal examines no intent whose other chain is being indexed again, and revokes nothing of it meanwhile.
    const setState = (state: string) =>
      rig.commit([`update app.projection set state = '${state}' where chain_id = ${HORIZEN}`])
    await setState('resuming')
    await unsettle(unexamined!)
    await rig.clock(keptAt)
    for (const chain of [HORIZEN])
      await rig.client.query(
        `update "cairn_${chain}_seeded"._ponder_checkpoint set finalized_checkpoint = latest_checkpoint`,
      )
    await until(() => receiver.idsAt('/final').length > 0)
    await until(async () => (await statuses())[0] === 'delivered')
    expect(await statuses()).toEqual(['delivered', 'dropped', 'held'])
    await setState('live')
    await until(async () => !(await statuses()).includes('held'))
    expect(await statuses()).toEqual(['delivered', 'dropped', 'dropped'])
    expect(receiver.idsAt('/final')).toHaveLength(1)
  })

  test('private hosts, redirects, and endless or silent responses get no further', async () => {
    const post = (more: object = {}) => createPostWebhook({ timeoutMs: 300, ...more })
    const secret = await startWebhookReceiver()
    const port = new URL(secret.url).port
    const strict = post({ resolve: async () => ['127.0.0.1'] })
    for (const host of [
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0x7f.1',
      'rebound.example',
    ])
      expect(await strict(`https://${host}:${port}/`, {}, '{}')).toMatchObject({
        status: null,
        error: host.endsWith('.example') ? 'ADDRESS_REFUSED' : 'PRIVATE_REFUSED',
      })
    expect((await strict('http://8.8.8.8/', {}, '{}')).error).toBe('PRIVATE_REFUSED')
    for (const url of ['ftp://8.8.8.8/', 'nowhere'])
      expect((await strict(url, {}, '{}')).error).toBe('ADDRESS_REFUSED')
    // A name that was public when somebody looked, and is ours when it is connected to.
    let looks = 0
    const rebinding = post({
      resolve: async () => (++looks === 1 ? ['8.8.8.8'] : ['169.254.169.254']),
    })
    await rebinding(`https://rebound.example:${port}/`, {}, '{}')
    expect((await rebinding(`https://rebound.example:${port}/`, {}, '{}')).error).toBe(
      'ADDRESS_REFUSED',
    )

    const lax = post({ allowPrivate: true })
    answers.set('/away', (response) => response.writeHead(302, { location: secret.url }).end())
    answers.set('/endless', (response) => {
      response.writeHead(200)
      const pour = () => !response.destroyed && response.write('x'.repeat(4_096), pour)
      pour()
    })
    answers.set('/never-answers', () => {})
    expect(await lax(`${receiver.url}/away`, {}, '{}')).toEqual({ status: 302, error: null })
    expect(await lax(`${receiver.url}/endless`, {}, '{}')).toEqual({ status: 200, error: null })
    expect(await lax(`${receiver.url}/never-answers`, {}, '{}')).toEqual({
      status: null,
      error: 'TIMEOUT',
    })
    expect(secret.received).toEqual([])
    await secret.stop()
  })

  test('hanging receivers delay no other', async () => {
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const intent = intents.pop()!
    const registered = async (path: string) =>
      (await rig.api.post('/webhooks', { url: receiver.url + path, intentId: intent.id }, admin))
        .body
    for (let i = 0; i < 30; i++) {
      if (i % 3 === 0) answers.set(`/crowd${i}`, () => {})
      await registered(`/crowd${i}`)
    }
    await unsettle(intent)
    const quick = Array.from({ length: 30 }, (_, i) => i).filter((i) => i % 3 > 0)
    // Those that hang have not been answered when all others are done.
    await until(() => quick.every((i) => receiver.idsAt(`/crowd${i}`).length === 1))
    const hanging = async () => {
      const { rows } = await rig.client.query(
        `select count(*)::int as hanging from app.webhook_delivery d join app.webhook_endpoint e using (endpoint_id)
         where e.url like '%/crowd%' and d.status = 'due' and d.leased_until > now()`,
      )
      return rows[0].hanging
    }
    await until(async () => (await hanging()) === 10)
  })

  test(`over ${KILLS} kills of the role, exactly the journal’s events are delivered`, async () => {
    const victims = intents.splice(0, 12)
    await push.stop()
    const { rows } = await rig.client.query('select max(sequence) as top from app.push_event')
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const url = `${receiver.url}/killed`
    await rig.api.post(
      '/webhooks',
      { url, chainId: BASE, types: ['intent.reorged', 'intent.completed'] },
      admin,
    )
    await rig.client.query(
      `update app.webhook_endpoint set status = 'disabled' where url <> '${url}'`,
    )
    const chains = join(directory, 'chains.json')
    const chain = {
      rpcUrls: ['http://127.0.0.1:9'],
      bridge: `0x${'b0'.repeat(20)}`,
      startBlock: 0,
      confirmations: 1,
    }
    writeFileSync(
      chains,
      JSON.stringify({ chains: [{ ...chain, name: 'base_sepolia', chainId: BASE }] }),
    )
    const spawn = () =>
      startRole('push', {
        DATABASE_URL: rig.api.postgres.databaseUrl,
        CHAINS: chains,
        PUSH_KEY_FILE: keyFile,
        ALLOW_PRIVATE_WEBHOOKS: '1',
        LOG_LEVEL: 'error',
      })
    for (let kill = 0; kill < KILLS; kill++) {
      const role = spawn()
      const received = () => new Set(receiver.idsAt('/killed')).size
      const before = received()
      // In another block each time: there is always something that wasn't told.
      for (const victim of victims.slice(0, 4 + (kill % 8))) await settle(victim)
      // Killed in the midst of it: some have come, others are on their way.
      await until(() => received() > before, `events after kill ${kill}`, {
        // A campaign runs beside everything else, and behind it.
        timeout: KILLS > 2 ? 1_800_000 : 100_000,
      })
      role.child.kill('SIGKILL')
      await role.ended
    }
    await rig.client.query(
      `update app.webhook_delivery set leased_until = now() where leased_until > now()`,
    )
    await start()
    const journal = async () =>
      (
        await rig.client.query(
          `select 'evt_' || sequence as id from app.push_event where sequence > ${rows[0].top}
             and type in ('intent.reorged', 'intent.completed') order by sequence`,
        )
      ).rows.map((row) => row.id as string)
    await until(async () => {
      const pending = await rig.client.query(
        `select 1 from app.push_pending union all select 1 from app.webhook_delivery d
         join app.webhook_endpoint e using (endpoint_id) where e.status = 'active' and d.status = 'due'`,
      )
      return pending.rows.length === 0
    })
    expect((await journal()).length).toBeGreaterThanOrEqual(KILLS)
    expect(new Set(receiver.idsAt('/killed'))).toEqual(new Set(await journal()))
  })
}
