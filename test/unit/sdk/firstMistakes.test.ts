import {
  createPublicClient,
  createWalletClient,
  custom,
  encodeErrorResult,
  getAddress,
  HttpRequestError,
  http,
  RpcRequestError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { validateIntent } from '../../../sdk/client/validateIntent.ts'
import { toCairnError } from '../../../sdk/errors/toCairnError.ts'
import {
  CairnError,
  claimCreditCall,
  closeOrderCall,
  createCairnClient,
  createOrdersClient,
  createRelayerClient,
  findOwnOrders,
  readCredit,
  readVaultOrder,
  sealOrder,
} from '../../../sdk/index.ts'
import { verifyIntent } from '../../../sdk/verify/index.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

const BRIDGE = `0x${'b1'.repeat(20)}` as const
const TOKEN = `0x${'70'.repeat(20)}` as const
const PAYEE = `0x${'a1'.repeat(20)}` as const
const NOW = 1_795_000_000

const publicClient = createPublicClient({
  transport: custom({ request: () => Promise.reject(new Error('no node')) }),
})
const chains = [
  { name: 'base_sepolia', chainId: 84532, bridge: BRIDGE, publicClient },
  { name: 'horizen_testnet', chainId: 2651420, bridge: BRIDGE },
]

const request = {
  sourceChain: 'base_sepolia',
  destChain: 'horizen_testnet',
  tokenIn: TOKEN,
  tokenOut: TOKEN,
  amountIn: 100n,
  minAmountOut: 90n,
  reward: 1n,
  recipients: [{ address: PAYEE, amount: 90n }],
} as const

const walletClient = createWalletClient({
  account: privateKeyToAccount(`0x${'11'.repeat(32)}`),
  transport: custom({ request: () => Promise.reject(new Error('no node')) }),
})
const options = { relayer: { baseUrl: 'http://127.0.0.1:9' }, chains, walletClient }

/** A client of a relayer that must not be asked. */
function offline(baseUrl = options.relayer.baseUrl) {
  return createCairnClient({ ...options, relayer: { baseUrl } })
}

/** What a call that must fail throws, at once or later. */
async function failureOf(call: () => unknown): Promise<CairnError> {
  const thrown = await (async () => call())().catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(CairnError)
  return thrown as CairnError
}

/** The URL of a service that answers everything like this. */
function serve(status: number, body: string): Promise<string> {
  return serveLocally((_, response) => response.writeHead(status).end(body))
}

/** For what callers without TypeScript may give. */
const untyped = <Value>(value: unknown) => value as Value

test('a deadline in milliseconds is refused with what to give instead', () => {
  const check = (deadline: number) => () => validateIntent({ ...request, deadline }, chains, NOW)
  expect(check((NOW + 90) * 1_000)).toThrow('give unix seconds')
  expect(check(NOW + 90)).not.toThrow()
})

test('the error names a chain without a client, and a destination that isn’t configured', async () => {
  const deadline = Math.floor(Date.now() / 1_000) + 90
  const [source, destination] = chains
  const submit = (own: object, chosen = chains) =>
    failureOf(() =>
      createCairnClient({ ...options, chains: chosen }).submitIntent({
        ...{ ...request, deadline },
        ...own,
      }),
    )
  const bare = [{ ...source, publicClient: undefined }, destination] as never
  expect(await submit({}, bare)).toMatchObject({
    code: 'INVALID_REQUEST',
    retryable: false,
    message: 'chains: expected a publicClient for base_sepolia',
  })
  expect((await submit({ destChain: 'rari' })).message).toBe(
    'destChain rari is not in chains: add it, or choose one of base_sepolia, horizen_testnet',
  )
})

test('a stranger who cancels learns whose wallet to use', () => {
  const args = [PAYEE, BRIDGE] as const
  const data = encodeErrorResult({ abi: bridgeIntentV2Abi, errorName: 'NotSender', args })
  const error = { code: 3, message: 'execution reverted', data }
  const refusal = new RpcRequestError({ body: {}, url: 'http://node', error })
  expect(toCairnError(refusal)).toMatchObject({
    code: 'CONTRACT_REVERTED',
    message: `only the intent’s sender may do this: use the wallet of ${getAddress(BRIDGE)}`,
  })
})

test('a revert names the field of the intent that it is about', () => {
  const data = encodeErrorResult({
    abi: bridgeIntentV2Abi,
    errorName: 'DestinationNotListed',
    args: [1n],
  })
  const refusal = new RpcRequestError({
    body: {},
    url: 'http://node',
    error: { code: 3, message: 'execution reverted', data },
  })
  expect(toCairnError(refusal)).toMatchObject({
    code: 'UNSUPPORTED_CHAIN',
    details: { field: 'destChain' },
  })
})

test('the error names a node that doesn’t answer by its host alone', () => {
  const url = 'https://user:password@node.example:8545/v2/key?key=secret'
  const error = toCairnError(new HttpRequestError({ url }))
  expect(error).toMatchObject({
    code: 'RPC_UNREACHABLE',
    message: 'the chain’s RPC at node.example:8545 did not answer: check its URL, or retry',
  })
})

const paying = (address: string, amount = 90n) => [{ address, amount }]
const UNPAYABLE: [field: string, code: string, mistake: object][] = [
  ['recipients', 'INVALID_RECIPIENT', { recipients: [] }],
  ['recipients', 'INVALID_RECIPIENT', { recipients: Array(201).fill(paying(PAYEE, 1n)[0]) }],
  ['recipients', 'INVALID_RECIPIENT', { recipients: paying(PAYEE, 91n) }],
  ['recipients.0', 'INVALID_RECIPIENT', { recipients: paying(`0x${'00'.repeat(20)}`) }],
  ['recipients.0', 'INVALID_RECIPIENT', { recipients: paying(`0x${'AB'.repeat(20)}`) }],
  ['recipients.0', 'INVALID_RECIPIENT', { recipients: paying(BRIDGE) }],
  ['recipients.0.amount', 'INVALID_RECIPIENT', { recipients: paying(PAYEE, 0n) }],
  ['amountIn', 'AMOUNT_BELOW_MINIMUM', { amountIn: 0n }],
  ['minAmountOut', 'MIN_OUTPUT_INVALID', { minAmountOut: 0n }],
  ['reward', 'AMOUNT_BELOW_MINIMUM', { reward: -1n }],
]

test.each(
  UNPAYABLE,
)('an intent that couldn’t be paid is refused for its %s: %s', (field, code, mistake) => {
  const tokenOut = getAddress(`0x${'ab'.repeat(20)}`)
  const intent = { ...request, tokenOut, deadline: NOW + 90, ...mistake }
  const refusal = expect.objectContaining({ code, details: expect.objectContaining({ field }) })
  expect(() => validateIntent(intent, chains, NOW)).toThrow(refusal)
})

test('a mistake in a batch is named by its place in the whole list', async () => {
  const recipients = Array.from({ length: 450 }, () => ({ address: PAYEE, amount: 1n }))
  const wrong = (at: number, one: object) => recipients.with(at, { ...recipients[at]!, ...one })
  const refusalOf = (list: typeof recipients) =>
    failureOf(() =>
      offline().submitBatch(
        { ...request, minAmountOut: 450n, recipients: list, auctionSeconds: 90 },
        { save: () => {} },
      ),
    )
  const typo = untyped<typeof PAYEE>(`0x${'aB'.repeat(20)}`)
  expect(await refusalOf(wrong(377, { address: typo }))).toMatchObject({
    code: 'INVALID_RECIPIENT',
    message: 'recipients.377: has a wrong checksum',
  })
  expect((await refusalOf(wrong(449, { amount: 0n }))).details.field).toBe('recipients.449.amount')
  expect((await refusalOf([])).details.field).toBe('recipients')
})

test('an intent with an earlier deadline, or more viewers than a blob can name, is refused', () => {
  const check = (more: object) => () =>
    validateIntent({ ...request, deadline: NOW + 1, ...more }, chains, NOW)
  expect(check({ deadline: NOW })).toThrow('in the past')
  const viewers = (count: number) => ({ viewers: Array(count).fill(PAYEE) })
  expect(check(viewers(50))).not.toThrow()
  expect(check(viewers(51))).toThrow('there are 51 viewers, and an intent has at most 50')
})

test('a relayer that doesn’t answer is named, without its password', async () => {
  const cairn = createCairnClient({
    relayer: { baseUrl: 'http://user:secret@127.0.0.1:9/api' },
    chains,
  })
  const failure = await cairn
    .intent(1n)
    .status()
    .catch((error: Error) => error)
  expect(failure).toMatchObject({ code: 'TACHYON_API_UNREACHABLE', retryable: true })
  expect((failure as Error).message).toBe(
    'the relayer at http://127.0.0.1:9 did not answer: check baseUrl, or retry',
  )
})

test('an event’s intent id, which is text, is an id too', () => {
  const cairn = createCairnClient({ relayer: { baseUrl: 'http://127.0.0.1:9' }, chains })
  expect(cairn.intent('1559340170038815817203713').id).toBe(1_559_340_170_038_815_817_203_713n)
})

test('what an intent’s chain needs is named', async () => {
  const elsewhere = (137n << 64n) | 1n
  expect(await failureOf(() => offline().intent(elsewhere).refund())).toMatchObject({
    code: 'INVALID_REQUEST',
    message: `chains: expected an entry for chain 137, where intent ${elsewhere} is`,
  })
})

const NO_IDS: unknown[] = [
  '',
  'abc',
  ' 17',
  '1.5',
  '../17',
  0n,
  -1n,
  2n ** 256n,
  17,
  null,
  undefined,
]

test.each(NO_IDS)('“%s” is no intent id, wherever one is given', async (value) => {
  const [cairn, id] = [offline(), untyped<bigint>(value)]
  const { relayer } = cairn
  const calls = [
    () => cairn.intent(id),
    () => relayer.intentDetails(id),
    () => relayer.privateDetails(id, { reader: PAYEE, signature: '0x', timestamp: NOW }),
    () => relayer.getRecipients({ intentId: id, sourceChainId: 84532 }, {}),
    () => relayer.storeRecipients({ intentId: id, chainId: 84532, encryptedData: '0x' }),
    () => relayer.generateStealth({ recipientAddress: PAYEE, chainId: 84532, intentId: id }),
    () => relayer.anchor({ intentId: id }),
    () => relayer.reveal({ intentId: id }),
    () => relayer.settle(untyped({ intentId: id, chain2IntentId: 1n })),
    () => cairn.events({ intents: [id] }).next(),
    () => verifyIntent(id, { baseUrl: 'http://127.0.0.1:9', chains }),
  ]
  for (const call of calls) {
    const { code, message, retryable, details } = await failureOf(call)
    expect([code, retryable]).toEqual(['INVALID_REQUEST', false])
    expect(details).toHaveProperty('field')
    expect(message).toContain('an intent’s whole id, such as 1559340170038815817203713')
  }
})

test('a hex text is an id', () => {
  expect(offline().intent('0x14a340000000000000001').id).toBe((84532n << 64n) | 1n)
})

test.each([
  '',
  'abc',
  'twap-1',
  '../1',
  undefined,
])('%j is no order id, and nothing is signed for it', async (value) => {
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:9' })
  const sign = () => Promise.reject(new Error('signed'))
  const id = untyped<string>(value)
  for (const call of [() => orders.order(id, sign), () => orders.cancelOrder(id, sign)]) {
    expect(await failureOf(call)).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { field: 'orderId' },
      message: expect.stringContaining('twap- and 32 hex digits'),
    })
  }
  expect(await failureOf(() => orders.listOrders(untyped('bob')))).toMatchObject({
    code: 'INVALID_REQUEST',
    details: { field: 'user' },
  })
})

test.each([
  ['totalAmountIn', 100],
  ['period', 60n],
  ['sourceChainId', '84532'],
  ['startTime', Number.NaN],
])('an order with a wrong %s is neither sealed nor signed', async (field, value) => {
  const order = {
    ...{ user: PAYEE, assetIn: TOKEN, assetOut: TOKEN, chainIn: 'a', chainOut: 'b' },
    ...{ sourceChainId: 84532, destChainId: 2651420, totalAmountIn: 2n, amountPerPeriod: 1n },
    ...{ period: 60, startTime: NOW, endTime: NOW + 200, recipients: [PAYEE], amounts: [1n] },
    [field]: value,
  }
  const baseUrl = await serve(200, JSON.stringify({ publicKey: walletClient.account.publicKey }))
  const sign = () => Promise.reject(new Error('signed'))
  const place = () => createOrdersClient({ baseUrl }).createOrder(order, sign)
  expect(await failureOf(place)).toMatchObject({ code: 'INVALID_REQUEST', details: { field } })
})

test('a node that doesn’t answer an order’s owner is named, and a wrong vault', async () => {
  const transport = http('http://127.0.0.1:9', { retryCount: 0 })
  const client = createPublicClient({ transport })
  const readsOf = (vault: typeof TOKEN) => [
    () => readVaultOrder(client, vault, `0x${'00'.repeat(32)}`),
    () => readCredit(client, vault, { owner: PAYEE, token: TOKEN }),
    () => findOwnOrders(client, { vault, owner: PAYEE, fromBlock: 0n }),
  ]
  for (const read of readsOf(TOKEN))
    expect(await failureOf(read)).toMatchObject({ code: 'RPC_UNREACHABLE', retryable: true })
  const wrong = { code: 'INVALID_REQUEST', details: { field: 'vault' } }
  for (const read of readsOf(untyped('0x12'))) expect(await failureOf(read)).toMatchObject(wrong)
  const claim = () => claimCreditCall(TOKEN, untyped('0x12'))
  expect(await failureOf(claim)).toMatchObject({ ...wrong, details: { field: 'to' } })
})

test('the vault doesn’t know the service’s id of an order', async () => {
  const error = await failureOf(() => closeOrderCall(untyped(`twap-${'0'.repeat(32)}`)))
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', details: { field: 'vaultOrderId' } })
  expect(closeOrderCall(`0x${'00'.repeat(32)}`)).toMatch(/^0x/)
})

test.each([
  ['tokenIn', { tokenIn: 'USDC' }],
  ['tokenOut', { tokenOut: `0x${'aB'.repeat(20)}` }],
  ['amountIn', { amountIn: 100 }],
  ['amountIn', { amountIn: 2n ** 256n }],
  ['minAmountOut', { minAmountOut: '90' }],
  ['reward', { reward: undefined }],
  ['recipients', { recipients: undefined }],
  ['recipients.0.amount', { recipients: [{ address: PAYEE, amount: 90 }] }],
  ['viewers.0', { viewers: ['bob'] }],
  ['metadata.memo', { metadata: { memo: 5 } }],
  ['metadata.memo', { metadata: { memo: '\ud800' } }],
])('an intent or a batch with an invalid %s is refused (%#)', async (field, change) => {
  const cairn = offline()
  const deadline = Math.floor(Date.now() / 1_000) + 90
  const changed = untyped<typeof request>({ ...request, ...change })
  const options = { save: () => {} }
  for (const call of [
    () => cairn.submitIntent({ ...changed, deadline }),
    () => cairn.submitBatch({ ...changed, auctionSeconds: 90 }, options),
  ]) {
    expect(await failureOf(call)).toMatchObject({ code: 'INVALID_REQUEST', details: { field } })
  }
})

test('a deadline that is a date, and a negative reward, are refused', () => {
  const check = (change: object) => () =>
    validateIntent(untyped({ ...request, deadline: NOW + 90, ...change }), chains, NOW)
  expect(check({ deadline: new Date() })).toThrow('deadline: expected unix seconds')
  expect(check({ reward: -1n })).toThrow('reward must not be negative')
})

test('an order’s amounts are bigints', async () => {
  const key = `0x04${'11'.repeat(64)}` as const
  const amounts = { totalAmountIn: 2n, amountPerPeriod: 1n, amounts: [1n] }
  for (const [field, change] of [
    ['totalAmountIn', { totalAmountIn: undefined }],
    ['amountPerPeriod', { amountPerPeriod: 1 }],
    ['amounts', { amounts: undefined }],
    ['amounts.0', { amounts: ['1'] }],
  ] as const) {
    const error = await failureOf(() => sealOrder(key, untyped({ ...amounts, ...change })))
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', details: { field } })
  }
})

test.each(['bob', `0x${'00'.repeat(20)}`])('Safes are not swept to %s', async (to) => {
  const error = await failureOf(() =>
    offline()
      .recipient()
      .sweep({ to: untyped(to) }),
  )
  expect(error).toMatchObject({ code: 'INVALID_REQUEST', details: { field: 'to' } })
})

test.each([
  '',
  '127.0.0.1:8080',
  'localhost:8080',
  undefined,
])('%j is no base URL', async (baseUrl) => {
  const cairn = createCairnClient({ relayer: { baseUrl: untyped(baseUrl) }, chains })
  for (const call of [() => cairn.intent(1n).status(), () => cairn.events().next()]) {
    expect(await failureOf(call)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'baseUrl: expected a URL such as https://relayer.example',
    })
  }
})

test.each([
  [
    'Cairn’s other services',
    404,
    '{"success":false,"error":"no such endpoint","code":"NOT_FOUND"}',
  ],
  ['other methods', 405, '{"success":false,"error":"only GET","code":"METHOD_NOT_ALLOWED"}'],
  ['any web server', 404, '<h1>Not found</h1>'],
])('a wrong URL is named, as %s answer it', async (_, status, body) => {
  const baseUrl = await serve(status, body)
  const has = (path: string, service: string) =>
    `${baseUrl} has no ${path}: check that baseUrl is the URL of ${service}`
  const [relayer, orders] = [createRelayerClient({ baseUrl }), createOrdersClient({ baseUrl })]
  const messages = [
    [() => relayer.batches(), has('/batches', 'the relayer')],
    [() => orders.vaultAddress(), has('/address', 'the order service')],
    [() => offline(baseUrl).events().next(), has('/events', 'the relayer')],
    [() => verifyIntent(1n, { baseUrl, chains }), has('/intents/1/proof', 'the relayer')],
  ] as const
  for (const [call, message] of messages)
    expect(await failureOf(call)).toMatchObject({ message, status, retryable: false })
})

test('an intent that isn’t there is no wrong URL', async () => {
  const body = '{"error":"no intent has this id","code":"INTENT_NOT_FOUND"}'
  const cairn = offline(await serve(404, body))
  expect(await failureOf(() => cairn.intent(1n).status())).toMatchObject({
    code: 'INTENT_NOT_FOUND',
    message: 'no intent has this id',
  })
})

test('a refused event stream says why', async () => {
  const body = '{"error":"invalid query: chain: expected a chain","code":"INVALID_REQUEST"}'
  const cairn = offline(await serve(400, body))
  expect(await failureOf(() => cairn.events({ chain: 'nowhere' }).next())).toMatchObject({
    code: 'EVENTS_REFUSED',
    message:
      'the relayer refused the event stream with status 400: invalid query: chain: expected a chain',
  })
})
