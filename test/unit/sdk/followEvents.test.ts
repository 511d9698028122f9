import { expect, test } from 'vitest'
import { type FollowOptions, followEvents, RelayerError } from '../../../sdk/index.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

const ADDRESS = '0x00000000000000000000000000000000000000AA'

const ORDER_EVENT = {
  id: 'evt_2',
  type: 'order.tranche_fired',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: {
    orderId: 'twap-1',
    chainId: '1',
    destChainId: '2',
    owner: ADDRESS,
    status: 'active',
    intentId: '7',
    occurredAt: '2026-01-01T00:00:00.000Z',
    chainEvent: null,
  },
}

const INTENT_EVENT = {
  id: 'evt_1',
  type: 'intent.reorged',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: {
    intentId: '7',
    sourceChainId: '1',
    destChainId: '2',
    sender: ADDRESS,
    solver: null,
    tokenA: ADDRESS,
    tokenB: ADDRESS,
    amountA: '1000',
    expectedAmountB: '990',
    reward: '5',
    status: null,
    substatus: null,
    occurredAt: '2026-01-01T00:00:00.000Z',
    chainEvent: null,
    reverted: ['evt_0'],
  },
}

/** Follows a relayer that sends these messages, numbered from 1. */
async function follow(messages: readonly string[], options: FollowOptions = {}) {
  const baseUrl = await serveLocally((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [at, message] of messages.entries())
      response.write(`id: ${at + 1}\ndata: ${message}\n\n`)
  })
  return followEvents(baseUrl, {}, options)
}

test('a refusal whose body never ends is retried', async () => {
  let asked = 0
  const baseUrl = await serveLocally((_, response) => {
    asked += 1
    if (asked === 1) response.writeHead(503).write('the gateway has no upstream')
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`id: 1\ndata: ${JSON.stringify(INTENT_EVENT)}\n\n`)
    }
  })
  const events = followEvents(baseUrl)
  expect((await events.next()).value).toEqual(INTENT_EVENT)
  await events.return(undefined)
})

test('events of intents and orders are handed on as they were sent', async () => {
  const events = await follow([JSON.stringify(INTENT_EVENT), JSON.stringify(ORDER_EVENT)])
  expect((await events.next()).value).toEqual(INTENT_EVENT)
  expect((await events.next()).value).toEqual(ORDER_EVENT)
  await events.return(undefined)
})

test('an event of an unknown type is skipped, and its position is passed', async () => {
  const positions: string[] = []
  const unknown = { ...INTENT_EVENT, type: 'intent.lost', data: { reason: 'of a newer relayer' } }
  const events = await follow([JSON.stringify(unknown), JSON.stringify(ORDER_EVENT)], {
    onPosition: (lastEventId) => positions.push(lastEventId),
  })
  expect((await events.next()).value).toEqual(ORDER_EVENT)
  expect(positions).toEqual(['1'])
  await events.return(undefined)
})

const { data } = INTENT_EVENT
const lies: [string, string][] = [
  ['no JSON', '{"id":'],
  ['null', 'null'],
  ['no data', JSON.stringify({ ...INTENT_EVENT, data: null })],
  ['no type', JSON.stringify({ ...INTENT_EVENT, type: undefined })],
  ['a type that is no text', JSON.stringify({ ...INTENT_EVENT, type: 7 })],
  [
    'an id that is no number',
    JSON.stringify({ ...INTENT_EVENT, data: { ...data, intentId: 'x' } }),
  ],
  [
    'an order without an owner',
    JSON.stringify({ ...ORDER_EVENT, data: { ...ORDER_EVENT.data, owner: undefined } }),
  ],
  [
    'an intent’s type with an order’s data',
    JSON.stringify({ ...ORDER_EVENT, type: INTENT_EVENT.type }),
  ],
  ['too long a message', JSON.stringify({ ...INTENT_EVENT, id: 'x'.repeat(1_000_001) })],
]

test.each(lies)('%s in place of an event is an invalid answer', async (_, message) => {
  const events = await follow([message])
  const error = await events.next().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RelayerError)
  expect(error).toMatchObject({ code: 'ANSWER_INVALID', retryable: false })
})

test('an id that no header can carry doesn’t keep the stream from reconnecting', async () => {
  const resumed: unknown[] = []
  const baseUrl = await serveLocally(({ headers }, response) => {
    resumed.push(headers['last-event-id'])
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const id = resumed.length === 1 ? 'ł' : '5'
    response.end(`id: ${id}\ndata: ${JSON.stringify(INTENT_EVENT)}\n\n`)
  })
  const positions: string[] = []
  const events = followEvents(
    baseUrl,
    {},
    { lastEventId: '3', onPosition: (id) => void positions.push(id) },
  )
  await events.next()
  await events.next()
  await events.next()
  await events.return(undefined)
  expect(resumed.slice(0, 2)).toEqual(['3', '3'])
  expect(positions).toEqual(['5'])
})
