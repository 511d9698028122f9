import { createClient } from 'graphql-sse'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../rig/until.ts'
import type { TransportRig } from './transportRig.ts'

/** See transports.test.ts. */
export function describeEventStreams(open: () => TransportRig): void {
  let rig: TransportRig
  const ends: (() => void)[] = []
  beforeAll(() => {
    rig = open()
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) end()
    await rig.isQuiet()
  })

  const path = () => `${rig.url}/graphql/stream`
  const TOKEN = 'x-graphql-event-stream-token'
  const reserve = async (url = path()) => {
    const response = await fetch(url, { method: 'PUT' })
    return { status: response.status, text: await response.text() }
  }
  const listen = async (token: string, url = path()) => {
    const leaving = new AbortController()
    ends.push(() => leaving.abort())
    const response = await fetch(url, { headers: { [TOKEN]: token }, signal: leaving.signal })
    return { response, leave: () => leaving.abort() }
  }
  const post = async (token: string, body: unknown, url = path()) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [TOKEN]: token },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const operation = (id: string, query = 'subscription { intentUpdated { intentId } }') => ({
    query,
    extensions: { operationId: id },
  })

  test('HEAD neither opens a stream nor ends an operation', async () => {
    const { text: token } = await reserve()
    const head = (query = '') =>
      fetch(path() + query, { method: 'HEAD', headers: { [TOKEN]: token } })
    expect((await head()).status).toBe(200)
    const { response } = await listen(token)
    expect(response.status).toBe(200)
    expect((await post(token, operation('kept'))).status).toBe(202)
    expect((await head('?operationId=kept')).status).toBe(200)
    // It is still there: its name can't be used again.
    expect((await post(token, operation('kept'))).status).toBe(409)
  })

  test('a stock client in single connection mode carries eight subscriptions and a query over one stream', async () => {
    const asked: string[] = []
    const client = createClient({
      url: path(),
      singleConnection: true,
      retryAttempts: 0,
      fetchFn: (url: string, options: RequestInit) => {
        asked.push(options.method ?? 'GET')
        return fetch(url, options)
      },
    })
    ends.push(() => client.dispose())
    const ids = await rig.someIntents(8)
    const heard = ids.map((id) => {
      const query = `subscription { intentUpdated(id: "${id}") { intentId } }`
      return client.iterate({ query }).next()
    })
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 8)
    expect(await rig.gauge('cairn_graphql_streams')).toBe(1)
    await rig.touch(ids)
    const answers = await Promise.all(heard)
    expect(answers.map(({ value }) => value.data.intentUpdated.intentId)).toEqual(ids)
    const { value } = await client.iterate({ query: '{ intents(first: 1) { totalCount } }' }).next()
    expect(value?.data).toMatchObject({ intents: { totalCount: expect.any(Number) } })
    expect(asked.filter((method) => method === 'PUT')).toHaveLength(1)
    expect(asked.filter((method) => method === 'GET')).toHaveLength(1)
  })

  test('a subscription ends when its client ends it, and the others continue', async () => {
    const [first = '', second = ''] = await rig.someIntents(2)
    const client = createClient({ url: path(), singleConnection: true, retryAttempts: 0 })
    ends.push(() => client.dispose())
    const follow = (id: string) =>
      client.iterate({ query: `subscription { intentUpdated(id: "${id}") { intentId } }` })
    const [leaving, staying] = [follow(first), follow(second)]
    const heard = [leaving.next(), staying.next()]
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 2)
    await rig.touch([first])
    await heard[0]
    await leaving.return?.()
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 1)
    await rig.touch([second])
    expect((await heard[1])?.value.data.intentUpdated.intentId).toBe(second)
  })

  test('the distinct-connections mode works at the same address', async () => {
    const client = createClient({ url: path(), retryAttempts: 0 })
    ends.push(() => client.dispose())
    const [id = ''] = await rig.someIntents(1)
    const query = `subscription { intentUpdated(id: "${id}") { intentId } }`
    const heard = client.iterate({ query }).next()
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 1)
    await rig.touch([id])
    expect((await heard).value?.data).toEqual({ intentUpdated: { intentId: id } })
  })

  test('a refused operation gets its reason, with the usual code', async () => {
    const { text: token } = await reserve()
    await listen(token)
    const wrong = await post(token, operation('a', '{ nothing }'))
    expect(wrong).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    })
    const deep = `{ ${'a { '.repeat(9)} b ${'} '.repeat(9)} }`
    expect((await post(token, operation('b', deep))).body.errors[0].extensions).toEqual({
      code: 'QUERY_TOO_DEEP',
    })
    for (const body of [{ query: '{ __typename }' }, operation(''), operation('x'.repeat(101)), []])
      expect((await post(token, body)).status).toBe(400)
    // A refused operation doesn't occupy its id.
    expect((await post(token, operation('a', '{ __typename }'))).status).toBe(202)
  })

  test('a token belongs to one stream, works once, and can’t be guessed', async () => {
    const { text: token } = await reserve()
    expect(token).toMatch(/^[\w-]{32}$/)
    await listen(token)
    expect((await listen(token)).response.status).toBe(409)
    expect((await listen('x'.repeat(32))).response.status).toBe(404)
    expect((await post('x'.repeat(32), operation('a'))).status).toBe(404)
    expect((await post(token, operation('a'))).status).toBe(202)
    expect((await post(token, operation('a'))).status).toBe(409)
    const other = await fetch(`${path()}?operationId=a`, { method: 'DELETE' })
    expect(other.status).toBe(404)
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 1)
  })

  test('streams per client and operations per stream are limited, and leaving frees them', async () => {
    const url = `${rig.strictUrl}/graphql/stream`
    const { text: token } = await reserve(url)
    await listen(token, url)
    for (const id of ['a', 'b', 'c']) {
      expect((await post(token, operation(id), url)).status).toBe(202)
    }
    expect(await post(token, operation('d'), url)).toMatchObject({
      status: 429,
      body: { errors: [{ extensions: { code: 'TOO_MANY_SUBSCRIPTIONS' } }] },
    })
    const { text: second } = await reserve(url)
    await listen(second, url)
    expect((await reserve(url)).status).toBe(429)
    for (const end of ends.splice(0)) end()
    await rig.isQuiet()
    const { status, text: third } = await reserve(url)
    expect(status).toBe(201)
    await listen(third, url)
  })
}
