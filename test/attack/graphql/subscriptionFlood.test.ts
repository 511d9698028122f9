import { afterAll, beforeAll, expect, test } from 'vitest'
import { SUBSCRIPTION_LIMITS } from '../../../api/graphql/limits/limits.ts'
import { answerOf, type GraphqlRig, startGraphqlRig } from '../../integration/graphql/graphqlRig.ts'
import { until } from '../../rig/until.ts'

let rig: GraphqlRig
beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 20 })
})
afterAll(() => rig?.stop())

function open(client: string, signal?: AbortSignal): Promise<Response> {
  const request = new Request('http://cairn.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream, application/json' },
    body: JSON.stringify({ query: 'subscription { events { isRemoved } }' }),
    ...(signal && { signal }),
  })
  return rig.graphql.handle(request, client)
}

test('a client can’t exceed its share of subscriptions, and gets it back by leaving', async () => {
  const leaving = new AbortController()
  const streams = []
  for (let i = 0; i < SUBSCRIPTION_LIMITS.perClient; i++) {
    streams.push(await open('flood', leaving.signal))
  }
  const refused = await open('flood')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.text()).toContain('TOO_MANY_SUBSCRIPTIONS')
  expect(rig.graphql.subscriptions()).toBe(SUBSCRIPTION_LIMITS.perClient)

  const other = await open('somebody else')
  expect(other.status).toBe(200)
  await other.body?.cancel()

  leaving.abort()
  await until(() => rig.graphql.subscriptions() === 0)
  const again = await open('flood')
  expect(again.status).toBe(200)
  await again.body?.cancel()
  await Promise.all(streams.map((stream) => stream.body?.cancel().catch(() => {})))
})

test('many clients together can’t exceed the total number of subscriptions', async () => {
  const streams = []
  for (let i = 0; i < SUBSCRIPTION_LIMITS.total; i++) streams.push(await open(`client ${i}`))
  const refused = await open('one more')
  expect(refused.status).toBe(429)
  await Promise.all(streams.map((stream) => stream.body?.cancel()))
  await until(() => rig.graphql.subscriptions() === 0)
})

test('a late client takes over a subscription slot from the client with the most', async () => {
  const leaving = new AbortController()
  const streams: Promise<string>[] = []
  for (let i = 0; i < SUBSCRIPTION_LIMITS.total; i++) {
    const stream = await open(`flood ${i % 250}`, leaving.signal)
    streams.push(stream.text())
  }
  const late = await open('late', leaving.signal)
  expect(late.status).toBe(200)
  await Promise.race(streams)
  expect(rig.graphql.subscriptions()).toBe(SUBSCRIPTION_LIMITS.total)
  leaving.abort()
  await Promise.allSettled([...streams, late.body?.cancel()])
  await until(() => rig.graphql.subscriptions() === 0)
})

test('subscriptions have the same limits as queries', async () => {
  const deep =
    'subscription { intentUpdated { intent { events { nodes { intent { events { nodes { intent { status } } } } } } } } }'
  const request = new Request('http://cairn.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: deep }),
  })
  const { errors } = await answerOf(await rig.graphql.handle(request, 'deep'))
  expect(errors[0]?.extensions.code).toBe('QUERY_TOO_DEEP')
})
