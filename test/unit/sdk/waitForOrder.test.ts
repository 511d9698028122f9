import { HttpRequestError } from 'viem'
import { expect, test, vi } from 'vitest'
import {
  createOrdersClient,
  RelayerError,
  type ScheduledOrder,
  type VaultOnChain,
  type VaultOrder,
  type WaitForOrderOptions,
  waitForOrder,
} from '../../../sdk/index.ts'
import { serveSilently } from '../../rig/serveSilently.ts'

const ID = `0x${'12'.repeat(32)}` as const
const [OWNER, TOKEN, TOKEN_B] = ['34', '78', '9a'].map((digits) => `0x${digits.repeat(20)}`)
const ACTIVE = {
  ...{ id: 'twap-1', vaultOrderId: ID, status: 'active' },
  ...{ user: OWNER, assetIn: TOKEN, assetOut: TOKEN_B, destChainId: 8 },
  ...{ expectedAmountOut: 4n, amountPerPeriod: 5n, period: 60, endTime: 9_000_000_000 },
  ...{ amountLeft: 5n, tranchesFilled: 2 },
} as ScheduledOrder
const STOPPED = { ...ACTIVE, status: 'completed' } as ScheduledOrder
const ENDED = { ...STOPPED, amountLeft: 0n } as ScheduledOrder
const AWAY = new RelayerError({ code: 'ENCLAVE_UNREACHABLE', message: 'away', status: 503 })
const GONE = new RelayerError({ code: 'ORDER_NOT_FOUND', message: 'no such order', status: 404 })

/** A service that gives these answers in turn, and then keeps giving the last one. */
function answering(...answers: (ScheduledOrder | RelayerError)[]) {
  let asked = 0
  return {
    order: async () => {
      const answer = answers[Math.min(asked++, answers.length - 1)]!
      if (answer instanceof RelayerError) throw answer
      return answer
    },
  }
}

function wait(answers: (ScheduledOrder | RelayerError)[], options: WaitForOrderOptions = {}) {
  return waitForOrder(answering(...answers), 'twap-1', { pollMs: 1, ...options })
}

test('waits through temporary failures until an order has stopped and nothing is left in the vault', async () => {
  const seen: string[] = []
  const onOrder = ({ status }: ScheduledOrder) => void seen.push(status)
  expect(await wait([ACTIVE, AWAY, STOPPED, AWAY, ENDED], { onOrder })).toBe(ENDED)
  expect(seen).toEqual(['active', 'completed', 'completed'])
})

test('waits for the requested state', async () => {
  expect(await wait([ACTIVE, STOPPED], { until: ({ status }) => status !== 'active' })).toBe(
    STOPPED,
  )
})

test('rejects at once for an unknown order', async () => {
  await expect(wait([ACTIVE, GONE])).rejects.toBe(GONE)
})

test('gives up after the timeout, with the specification’s code', async () => {
  const waiting = wait([ACTIVE], { timeoutMs: 20 })
  await expect(waiting).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', status: 0 })
})

test('ends with the signal’s reason', async () => {
  const stopping = new AbortController()
  const waiting = wait([ACTIVE], { pollMs: 60_000, signal: stopping.signal })
  setTimeout(() => stopping.abort(new Error('enough')), 5)
  await expect(waiting).rejects.toThrow('enough')
})

test('ends at once when the signal aborts during a request', async () => {
  const stopping = new AbortController()
  const order = async () => {
    stopping.abort(new Error('enough'))
    return ACTIVE
  }
  const options = { pollMs: 120_000, signal: stopping.signal }
  await expect(waitForOrder({ order }, 'twap-1', options)).rejects.toThrow('enough')
})

test('reports each failure that it goes on through', async () => {
  const errors: Error[] = []
  await wait([AWAY, ACTIVE, AWAY, ENDED], { onError: (error) => void errors.push(error) })
  expect(errors).toEqual([AWAY, AWAY])
})

test('an abort ends the request that is under way', async () => {
  const service = await serveSilently()
  const stopping = new AbortController()
  const orders = createOrdersClient({ baseUrl: service.url })
  const waiting = waitForOrder(orders, `twap-${'12'.repeat(16)}`, { signal: stopping.signal })
  await service.asked
  stopping.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await service.left
})

const TERMS = {
  ...{ owner: OWNER, token: TOKEN, tokenB: TOKEN_B, destChainId: 8n },
  ...{ expectedAmountB: 4n, amountPerPeriod: 5n, period: 60n, endTime: 9_000_000_000n },
}

type Shown = Pick<VaultOrder, 'left' | 'fired'> & Partial<VaultOrder>

/** A vault that shows these in turn, and then keeps showing the last one, on a chain at time 1,000. */
function showing(...records: (Shown | Error | null)[]): VaultOnChain {
  let asked = 0
  const readContract = async () => {
    const shown = records[Math.min(asked++, records.length - 1)]!
    if (shown instanceof Error) throw shown
    if (shown === null) return { owner: `0x${'00'.repeat(20)}`, left: 0n, fired: 0n }
    return { ...TERMS, ...shown }
  }
  const getBlock = async () => ({ timestamp: 1_000n })
  return { client: { readContract, getBlock } as never, address: `0x${'56'.repeat(20)}` }
}

const CLOSED = { left: 0n, fired: 2n }

test('with a vault, believes the service only once the vault shows the same', async () => {
  const errors: Error[] = []
  const onError = (error: Error) => void errors.push(error)
  const outage = new HttpRequestError({ url: 'http://node' })
  const records = [null, { left: 5n, fired: 2n }, outage, { left: 0n, fired: 3n }, CLOSED]
  const orders: ScheduledOrder[] = []
  const onOrder = (order: ScheduledOrder) => void orders.push(order)
  const vault = showing(...records)
  expect(await wait([ACTIVE, ENDED], { vault, onError, onOrder })).toBe(ENDED)
  expect(orders).toHaveLength(1 + records.length)
  expect(errors).toMatchObject([{ code: 'RPC_UNREACHABLE' }])
})

test.each([
  ['is closed', { left: 5n, fired: 2n }, ENDED],
  ['spent less', { left: 0n, fired: 3n }, ENDED],
  ['exists', null, ENDED],
  ['was closed before its first tranche', null, { ...ENDED, tranchesFilled: 0 }],
])('a service that says an order %s, against the vault for two minutes, is contradicted', async (_, record, order) => {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() * 120_000)
  try {
    const waiting = wait([order], { vault: showing(record) })
    await expect(waiting).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
  } finally {
    vi.restoreAllMocks()
  }
})

test('a machine that slept while the vault lagged contradicts no service', async () => {
  const wall = Date.now()
  let asked = 0
  vi.spyOn(Date, 'now').mockImplementation(() => wall + asked++ * 3_600_000)
  try {
    expect(await wait([ENDED], { vault: showing(null, null, CLOSED) })).toBe(ENDED)
  } finally {
    vi.restoreAllMocks()
  }
})

test('a service that lies is contradicted even if every second answer is a failure', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const order = async () => {
    now += 50_000
    if (now % 100_000 === 0) throw AWAY
    return ENDED
  }
  try {
    const options = { pollMs: 1, timeoutMs: 1_000_000, vault: showing({ left: 5n, fired: 2n }) }
    const waiting = waitForOrder({ order }, 'twap-1', options)
    await expect(waiting).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
  } finally {
    vi.restoreAllMocks()
  }
})

test('a node that lags after a long outage contradicts nobody', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const onError = () => {
    now += 300_000
  }
  try {
    const vault = showing(new HttpRequestError({ url: 'http://node' }), null, CLOSED)
    expect(await wait([ENDED], { vault, onError })).toBe(ENDED)
  } finally {
    vi.restoreAllMocks()
  }
})

test('an order that goes on may be further than the service says', async () => {
  const until = ({ tranchesFilled }: ScheduledOrder) => tranchesFilled >= 2
  for (const [fired, left] of [
    [2n, 5n],
    [3n, 0n],
  ] as const)
    expect(await wait([ACTIVE], { until, vault: showing({ left, fired }) })).toBe(ACTIVE)
})

const RUNNING = { left: 5n, fired: 2n, closed: false }
const DUE = { endTime: 1_000 }

test.each([
  ['cancelled', 'which the owner’s vault goes on to spend', {}, RUNNING, false],
  ['completed', 'before its end', {}, RUNNING, false],
  ['completed', 'at its end', DUE, { ...RUNNING, endTime: 1_000n }, true],
  ['completed', 'with another end', {}, { ...RUNNING, endTime: 1_000n }, false],
  [
    ...(['completed', 'with too little left for a tranche'] as const),
    ...([{ amountLeft: 4n }, { ...RUNNING, left: 4n }, true] as const),
  ],
  ['cancelled', 'with what it has returned', {}, { ...RUNNING, left: 0n, closed: true }, false],
  ['cancelled', 'after fewer tranches', {}, { left: 5n, fired: 3n, closed: true }, false],
] as const)('an order that a service calls %s, %s, is believed only if the vault shows the same', async (status, _, more, record, isTrue) => {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() * 120_000)
  try {
    const until = (order: ScheduledOrder) => order.status !== 'active'
    const said = { ...ACTIVE, ...more, status } as ScheduledOrder
    const waiting = wait([said], { until, vault: showing(record) })
    if (isTrue) expect(await waiting).toBe(said)
    else await expect(waiting).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
  } finally {
    vi.restoreAllMocks()
  }
})

test.each([
  { user: TOKEN },
  { assetIn: OWNER },
  { assetOut: OWNER },
  { destChainId: 9 },
  { expectedAmountOut: 5n },
  { amountPerPeriod: 6n },
  { period: 61 },
  { endTime: 1 },
])('an order’s parties and amounts are the vault’s, so %o is not believed', async (lie) => {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() * 120_000)
  try {
    const waiting = wait([{ ...ENDED, ...lie } as ScheduledOrder], { vault: showing(CLOSED) })
    await expect(waiting).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
  } finally {
    vi.restoreAllMocks()
  }
})
