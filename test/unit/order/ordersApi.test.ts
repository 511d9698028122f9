import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startOrdersApi } from '../../../api/orderService/startOrdersApi.ts'
import type { OrderErrorCode } from '../../../core/order/orderErrorCode.ts'
import { createOrdersService } from '../../../services/orders/createOrdersService.ts'
import { OrderError } from '../../../services/orders/orderError.ts'
import type { OrdersContext } from '../../../services/orders/ordersContext.ts'
import type { ChainWork } from '../../../services/orders/startOrders.ts'
import { ORDER } from './orderCase.ts'

const OWNER = `0x${'a1'.repeat(20)}` as const
const SIGNED = { message: 'an order', signature: `0x${'1b'.repeat(65)}` }
const PLACED = { ...SIGNED, encrypted: '0x04' }

/** Serves a service that has read no order of its chains yet, unless told otherwise. */
async function serve(service: object = {}) {
  const orders = {
    timeoutMs: 45_000,
    networks: [],
    onFired: () => {},
    isReady: () => false,
    find: () => null,
    cancel: async () => null,
    waitingTranche: async () => null,
    clockProblem: async () => null,
    unserved: [],
    ...service,
  }
  const api = await startOrdersApi({ orders: orders as never, host: '127.0.0.1', port: 0 })
  onTestFinished(api.stop)
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    const type = { 'content-type': 'application/json', ...headers }
    const response = await fetch(`${api.url}${path}`, { ...sent, headers: type })
    const { code, ...said } = await response.json()
    return { status: response.status, code, wait: response.headers.get('retry-after'), said }
  }
  return { api, ask }
}

const refuse = (code: OrderErrorCode) => () => Promise.reject(new OrderError(code, 'no'))

describe('an order that isn’t there', () => {
  test.each([
    ['may not be read yet', false, { status: 503, code: 'INDEX_NOT_READY', wait: '2' }],
    ['is unknown once all chains are read', true, { status: 404, code: 'ORDER_NOT_FOUND' }],
  ])('%s, whatever is asked of it', async (_, isReady, refusal) => {
    const { ask } = await serve({ isReady: () => isReady })
    expect(await ask(`/orders/${ORDER}`)).toMatchObject(refusal)
    expect(await ask(`/orders/${ORDER}/tranche`)).toMatchObject(refusal)
    expect(await ask(`/orders/${ORDER}/cancel`, SIGNED)).toMatchObject(refusal)
  })
  test('makes no list and no service ready before all chains are read', async () => {
    const { ask } = await serve()
    const refusal = { status: 503, code: 'INDEX_NOT_READY' }
    expect(await ask(`/orders?user=${OWNER}`)).toMatchObject(refusal)
    expect(await ask('/ready')).toMatchObject(refusal)
  })
})

test.each<[OrderErrorCode, number, string | null]>([
  ['FUNDING_PENDING', 503, '5'],
  ['CLOCKS_DIFFER', 503, '60'],
  ['OUT_OF_GAS', 503, '60'],
  ['CANCEL_PENDING', 503, '5'],
  ['FUNDING_FAILED', 400, null],
  ['TRANCHE_NOT_WAITING', 404, null],
])('%s is answered with %i, to be asked again after %s s', async (code, status, wait) => {
  const service = { place: refuse(code), cancel: refuse(code), waitingTranche: refuse(code) }
  const { ask } = await serve(service)
  expect(await ask('/orders', PLACED)).toMatchObject({ status, code, wait })
  expect(await ask(`/orders/${ORDER}/cancel`, SIGNED)).toMatchObject({ status, code, wait })
  expect(await ask(`/orders/${ORDER}/tranche`)).toMatchObject({ status, code, wait })
})

test('what a client gets wrong is named', async () => {
  const { ask } = await serve({ isReady: () => true, find: () => ({}) })
  const old = { 'x-signature': SIGNED.signature, 'x-timestamp': '1' }
  expect(await ask(`/orders/${ORDER}`, undefined, old)).toMatchObject({ code: 'STALE_TIMESTAMP' })
  const none = { 'x-signature': '0x1' }
  expect(await ask(`/orders/${ORDER}`, undefined, none)).toMatchObject({
    code: 'INVALID_SIGNATURE',
  })
  const odd = { ...PLACED, encrypted: '0x123' }
  expect(await ask('/orders', odd)).toMatchObject({ code: 'DECRYPTION_FAILED' })
  for (const path of [
    '/orders/7',
    `/orders?user=${OWNER}&cursor=7`,
    `/orders?user=${OWNER}&limit=101`,
  ])
    expect(await ask(path)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
})

test.each([
  ['RPC_UNREACHABLE', /RPC endpoints/],
  ['DATABASE_UNREACHABLE', /ORDERS_DATABASE_URL/],
  ['ENCLAVE_UNREACHABLE', /ENCLAVE_SOCKETS/],
  ['FEE_CAP', /MAX_FEE_GWEI/],
  ['TRANSACTION_NOT_ALLOWED', /enclave’s chains file/],
  ['NONCE_BLOCKED', /who has the key/],
  ['INTERNAL_ERROR', /report it/],
])('/health says what to do about %s', async (problem, fix) => {
  expect(await problemsOf({ problem })).toEqual([
    {
      chain: 'base_sepolia',
      code: problem,
      what: 'steps may be late',
      fix: expect.stringMatching(fix),
    },
  ])
})

const DOWN = 'RPC_UNREACHABLE'

test.each<[string, Parameters<typeof problemsOf>[0], string[]]>([
  [
    'what can’t be checked while too few nodes answer, and that no step waits for it',
    { search: DOWN },
    [`${DOWN}: .*nodes hide an order can’t be checked; no step waits`],
  ],
  [
    'what delays steps beside it',
    { search: DOWN, problem: 'FEE_CAP' },
    ['FEE_CAP: steps may be late', `${DOWN}: .*no step waits`],
  ],
  ['once what has one cause', { search: DOWN, steps: DOWN }, [`${DOWN}: steps may be late`]],
  [
    'more than that the gas is low',
    { gas: 1n, steps: 'DATABASE_UNREACHABLE' },
    ['OUT_OF_GAS: the gas account has 1 wei', 'DATABASE_UNREACHABLE: steps may be late'],
  ],
  ['once that it is empty', { gas: 0n }, ['OUT_OF_GAS: the gas account']],
  [
    'that a step waits for more gas than a few dozen cost elsewhere',
    { problem: 'OUT_OF_GAS' },
    ['OUT_OF_GAS: the gas account has 1000000000000000000 wei'],
  ],
])('/health says %s', async (_, found, said) => {
  const words = (await problemsOf(found)).map(({ code, what }) => `${code}: ${what}`)
  expect(words).toEqual(said.map((one) => expect.stringMatching(one)))
})

type Found = { search?: string; steps?: string; problem?: string; gas?: bigint }

test('/health names open orders of a vault that is configured no more, and what to do', async () => {
  const vault = `0x${'fa'.repeat(20)}`
  const unserved = [{ chainId: 10, vault, openOrders: 3, blockNumber: 7 }]
  const { ask } = await serve({ unserved, report: async () => [], account: OWNER })
  const { status, problems } = (await ask('/health')).said
  expect({ status, problems }).toMatchObject({
    status: 'degraded',
    problems: [
      {
        chain: '10',
        code: 'ORDERS_UNSERVED',
        what: expect.stringMatching(
          /^up to block 7, 3 orders of vault 0xfafa.* on chain 10 were open/i,
        ),
        fix: expect.stringMatching(/back into CHAINS.* closeOrder needs no service/),
      },
    ],
  })
})

/** The problems that `/health` lists of a chain. */
async function problemsOf({ gas = 10n ** 18n, ...found }: Found) {
  const { context, work } = chainWork(found, async () => gas)
  const { report } = createOrdersService(context, [work], OWNER)
  const { ask } = await serve({ report, account: OWNER })
  return (await ask('/health')).said.problems as { code: string; what: string }[]
}

/**
 * The work on a chain that wasn't read yet.
 *
 * @param found why its loops failed, and the sender's problem
 */
function chainWork({ problem, ...loops }: Found, getBalance: () => Promise<bigint>) {
  const settings = { now: () => 0, unpaidGas: 10n ** 6n, unpaidGasOfAll: 10n ** 6n }
  const chain = {
    ...{ name: 'base_sepolia', chainId: 84532, vault: OWNER, waiting: new Map() },
    follower: { latest: () => null },
    client: { getBalance },
  }
  const work = {
    ...{ chain, ledger: null, problems: new Map(Object.entries(loops)) },
    search: { unread: () => [] },
    sender: { report: () => ({ problem: problem ?? null }) },
    bundles: { accepted: () => 0 },
  } as unknown as ChainWork
  return { context: { account: OWNER, settings } as unknown as OrdersContext, work }
}

test('however often health and metrics are asked for, a chain’s nodes are asked once a second', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let asked = 0
  const { context, work } = chainWork({}, async () => BigInt(++asked))
  const { report } = createOrdersService(context, [work], OWNER)
  const { api, ask } = await serve({ report, stuck: () => [], account: OWNER })
  const askAll = () =>
    Promise.all([ask('/health'), ask('/health'), fetch(`${api.url}/metrics`).then(String)])
  await askAll()
  await askAll()
  expect(asked).toBe(1)
  vi.setSystemTime(Date.now() + 1_000)
  await askAll()
  expect(asked).toBe(2)
})

test('a server that stops still answers the order that it is placing', async () => {
  const asked = Promise.withResolvers<void>()
  const placed = Promise.withResolvers<never>()
  const place = () => {
    asked.resolve()
    return placed.promise
  }
  const { api, ask } = await serve({ place })
  const answer = ask('/orders', PLACED)
  await Promise.race([asked.promise, answer])
  // The time after which it cuts connections doesn't pass, however busy the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const stopped = api.stop()
  while (await isListening(api.url));
  placed.reject(new OrderError('FUNDING_PENDING', 'it isn’t in a block yet'))
  expect(await answer).toMatchObject({ status: 503, code: 'FUNDING_PENDING' })
  vi.advanceTimersByTime(2_000)
  await stopped
})

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/address`).then(
    () => true,
    () => false,
  )
}
