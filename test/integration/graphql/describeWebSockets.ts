import { connect } from 'node:net'
import { createClient } from 'graphql-ws'
import { afterEach, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { until } from '../../rig/until.ts'
import type { TransportRig } from './transportRig.ts'

/** See transports.test.ts. */
export function describeWebSockets(open: () => TransportRig): void {
  let rig: TransportRig
  const ends: (() => unknown)[] = []
  beforeAll(() => {
    rig = open()
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
    await rig.isQuiet()
  })

  const at = (url: string) => `${url.replace('http', 'ws')}/graphql`
  const stockClient = (url = rig.url) => {
    const client = createClient({ url: at(url), webSocketImpl: WebSocket, retryAttempts: 0 })
    ends.push(() => client.dispose())
    return client
  }

  /** Opens a socket that sends exactly what the test says. */
  async function rawSocket(url = rig.url, options: object = {}, protocol = 'graphql-transport-ws') {
    const socket = new WebSocket(at(url), protocol, options)
    ends.push(() => socket.terminate())
    const heard: { type: string; id?: string; payload?: never }[] = []
    const closed = new Promise<number>((resolve) => socket.on('close', resolve))
    socket.on('message', (data) => heard.push(JSON.parse(String(data))))
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    const send = (message: object) => socket.send(JSON.stringify(message))
    const begin = async () => {
      send({ type: 'connection_init' })
      await until(() => heard.some(({ type }) => type === 'connection_ack'))
    }
    const ofId = (id: string) => heard.filter((message) => message.id === id)
    return { socket, heard, closed, send, begin, ofId }
  }
  const SUBSCRIBE = { query: 'subscription { intentUpdated { intentId } }' }

  test('a stock client carries subscriptions and queries over one socket', async () => {
    const client = stockClient()
    const [first = '', second = ''] = await rig.someIntents(2)
    const follow = (id: string) =>
      client
        .iterate<{ intentUpdated: object }>({
          query: 'subscription ($id: BigInt) { intentUpdated(id: $id) { intentId } }',
          variables: { id },
        })
        .next()
    const heard = [follow(first), follow(second)]
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 2)
    expect(await rig.gauge('cairn_graphql_sockets')).toBe(1)
    await rig.touch([first, second])
    const reported = (await Promise.all(heard)).map(({ value }) => value?.data?.intentUpdated)
    expect(reported).toEqual([{ intentId: first }, { intentId: second }])
    const asked = await client.iterate({ query: '{ intents(first: 1) { totalCount } }' }).next()
    expect(asked.value?.data).toMatchObject({ intents: { totalCount: expect.any(Number) } })
  })

  test('a refused operation gets its reason, with the usual code, and the socket stays open', async () => {
    const client = stockClient()
    const codeOf = (query: unknown) =>
      client
        .iterate({ query: query as string })
        .next()
        .catch(([error]) => error.extensions.code)
    expect(await codeOf('{ nothing }')).toBe('GRAPHQL_VALIDATION_FAILED')
    expect(await codeOf(`{ ${'a { '.repeat(9)} b ${'} '.repeat(9)} }`)).toBe('QUERY_TOO_DEEP')
    expect(await codeOf('{')).toBe('GRAPHQL_PARSE_FAILED')
    expect(
      await codeOf('{ intents(first: 1000) { nodes { bids(first: 100) { nodes { id } } } } }'),
    ).toBe('QUERY_TOO_COSTLY')
  })

  test('the server forgets a completed subscription, and all subscriptions of a closed socket', async () => {
    const { send, begin, socket } = await rawSocket()
    await begin()
    send({ type: 'subscribe', id: 'a', payload: SUBSCRIBE })
    send({ type: 'subscribe', id: 'b', payload: SUBSCRIBE })
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 2)
    send({ type: 'complete', id: 'a' })
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 1)
    socket.terminate()
    await until(async () => (await rig.gauge('cairn_graphql_subscriptions')) === 0)
    // One completed and one disconnected before the operation had begun.
    const hasty = await rawSocket()
    await hasty.begin()
    hasty.send({ type: 'subscribe', id: 'a', payload: SUBSCRIBE })
    hasty.send({ type: 'complete', id: 'a' })
    hasty.send({ type: 'subscribe', id: 'b', payload: SUBSCRIBE })
    hasty.socket.close()
    await hasty.closed
    await rig.isQuiet()
  })

  test('pages of any origin may connect, and their headers change nothing', async () => {
    const headers = {
      origin: 'https://elsewhere.example',
      cookie: 'session=1',
      authorization: 'Bearer x',
    }
    const { send, begin, ofId } = await rawSocket(rig.url, { headers })
    await begin()
    send({ type: 'subscribe', id: 'q', payload: { query: '{ intents(first: 1) { totalCount } }' } })
    await until(() => ofId('q').some(({ type }) => type === 'complete'))
    expect(ofId('q')[0]).toMatchObject({ type: 'next', payload: { data: { intents: {} } } })
  })

  test.each([
    ['no JSON', '{', 4400],
    ['no message', '{"type":"next"}', 4400],
    [
      'an operation before connection_init',
      '{"type":"subscribe","id":"1","payload":{"query":"{ a }"}}',
      4401,
    ],
    ['a message larger than a request may be', 'x'.repeat(65_537), 1009],
  ])('%s closes the socket', async (_, text, code) => {
    const { socket, closed } = await rawSocket()
    socket.send(text)
    expect(await closed).toBe(code)
  })

  test('a second connection_init, a repeated operation id, and another protocol close the socket', async () => {
    const twice = await rawSocket()
    await twice.begin()
    twice.send({ type: 'connection_init' })
    expect(await twice.closed).toBe(4429)
    const same = await rawSocket()
    await same.begin()
    same.send({ type: 'subscribe', id: 'a', payload: SUBSCRIBE })
    same.send({ type: 'subscribe', id: 'a', payload: SUBSCRIBE })
    expect(await same.closed).toBe(4409)
    await expect(rawSocket(rig.url, {}, 'graphql-ws')).rejects.toThrow()
  })

  test('sockets per client and operations per socket are limited', async () => {
    const first = await rawSocket(rig.strictUrl)
    await first.begin()
    for (const id of ['a', 'b', 'c', 'd']) first.send({ type: 'subscribe', id, payload: SUBSCRIBE })
    await until(() => first.ofId('d').length > 0)
    expect(first.ofId('d')).toMatchObject([
      { type: 'error', payload: [{ extensions: { code: 'TOO_MANY_SUBSCRIPTIONS' } }] },
    ])
    await rawSocket(rig.strictUrl)
    await expect(rawSocket(rig.strictUrl)).rejects.toThrow('429')
  })

  test('operations over a socket count as reads, like single requests', async () => {
    const { send, begin, ofId } = await rawSocket(rig.modestUrl)
    await begin()
    const ids = ['a', 'b', 'c', 'd', 'e']
    for (const id of ids) send({ type: 'subscribe', id, payload: { query: '{ __typename }' } })
    await until(() => ids.every((id) => ofId(id).length > 0))
    expect(ids.map((id) => ofId(id)[0]?.type)).toEqual(['next', 'next', 'next', 'next', 'error'])
    expect(ofId('e')).toMatchObject([
      { type: 'error', payload: [{ extensions: { code: 'RATE_LIMITED' } }] },
    ])
    await expect(rawSocket(rig.modestUrl)).rejects.toThrow('429')
  })

  test('the server answers other upgrade requests as plain requests', async () => {
    const ask = (head: string) =>
      new Promise<string>((resolve) => {
        const { hostname, port } = new URL(rig.url)
        let text = ''
        const socket = connect(Number(port), hostname, () => socket.write(head))
        socket.on('data', (chunk) => {
          text += chunk
          socket.destroy()
        })
        socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''))
      })
    const upgrade = (path: string, to: string) =>
      ask(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\n\r\n`)
    expect(await upgrade('/metrics', 'h2c')).toBe('HTTP/1.1 200 OK')
    expect(await upgrade('/metrics', 'websocket')).toBe('HTTP/1.1 200 OK')
    // A handshake needs a key.
    expect(await upgrade('/v1/graphql/', 'websocket')).toBe('HTTP/1.1 400 Bad Request')
  })
}
