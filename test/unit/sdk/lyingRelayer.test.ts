import type { RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import {
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  HttpRequestError,
  http,
  keccak256,
  numberToHex,
  RpcRequestError,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  createCairnClient,
  createOrdersClient,
  createRelayerClient,
  followEvents,
  webhookMessage,
} from '../../../sdk/index.ts'
import { verifyIntent } from '../../../sdk/verify/index.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

// What a relayer, an order service or whoever is between them and the program may answer.

const ADDRESS = '0x00000000000000000000000000000000000000AA'
const SIGNATURE = `0x${'1b'.repeat(65)}` as const
const ID = (84532n << 64n) | 7n

const json = (response: ServerResponse, body: object) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const failure = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error)

test('no redirect takes a request and its signatures to another host', async () => {
  const stolen: unknown[] = []
  const thief = await serveLocally(({ headers, url }, response) => {
    stolen.push(url, headers)
    json(response, { stealthAddresses: [] })
  })
  const baseUrl = await serveLocally(({ url }, response) => {
    response.writeHead(307, { location: thief + url }).end()
  })
  const relayer = createRelayerClient({ baseUrl })
  const recipient = { recipientAddress: ADDRESS, signature: SIGNATURE } as const
  for (const asked of [
    relayer.stealthAddresses(recipient),
    relayer.registerRecipient(recipient),
    verifyIntent(ID, { baseUrl, chains: [] }),
    followEvents(baseUrl).next(),
  ].map(failure)) {
    expect(await asked).toMatchObject({
      code: 'ANSWER_INVALID',
      retryable: false,
      message: expect.stringContaining('redirects'),
    })
  }
  expect(stolen).toEqual([])
})

/** Sends as fast as it is read, and counts how much that was. */
function endless(status: number) {
  const sent = { bytes: 0 }
  const part = Buffer.alloc(1_048_576, ' ')
  const answer: RequestListener = (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    const more = () => {
      while (!response.destroyed && sent.bytes < 2 ** 31) {
        sent.bytes += part.length
        if (!response.write(part)) return response.once('drain', more)
      }
    }
    more()
  }
  return { sent, answer }
}

test.each([
  200, 400,
])('an endless answer of status %d is given up after a few megabytes', async (status) => {
  const { sent, answer } = endless(status)
  const baseUrl = await serveLocally(answer)
  const relayer = createRelayerClient({ baseUrl, requestTimeoutMs: 60_000 })
  for (const asked of [relayer.eciesPublicKey(), verifyIntent(ID, { baseUrl, chains: [] })].map(
    failure,
  )) {
    expect(await asked).toMatchObject({ code: 'ANSWER_INVALID' })
  }
  expect(sent.bytes).toBeLessThan(150_000_000)
})

test('an endless refusal of the event stream is given up', async () => {
  const { sent, answer } = endless(400)
  expect(await failure(followEvents(await serveLocally(answer)).next())).toMatchObject({
    code: 'EVENTS_REFUSED',
  })
  expect(sent.bytes).toBeLessThan(75_000_000)
})

test('a compressed answer doesn’t fill the memory', async () => {
  const bomb = gzipSync(Buffer.alloc(100_000_000, ' '))
  const baseUrl = await serveLocally((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  const relayer = createRelayerClient({ baseUrl, requestTimeoutMs: 60_000 })
  expect(await failure(relayer.eciesPublicKey())).toMatchObject({
    code: 'ANSWER_INVALID',
    message: expect.stringContaining('without end'),
  })
})

test('a list of addresses with hundreds of thousands of balances each is given up', async () => {
  const balances = JSON.stringify(
    Array(300_000).fill({ token: ADDRESS, balance: '1', isListed: true }),
  )
  let pages = 0
  const baseUrl = await serveLocally((_, response) => {
    pages += 1
    const safeAddress = numberToHex(pages, { size: 20 })
    const entry = {
      address: ADDRESS,
      ephemeralPubKey: '0x02',
      chainId: 1,
      intentId: '1',
      safeAddress,
    }
    const text = JSON.stringify({ ...entry, safeDeployed: false, createdAt: 1, balances: [] })
    // Parsing takes longer than an idle connection stays open, in a process that does both.
    response.setHeader('connection', 'close')
    const nextCursor = pages < 8 ? `"${pages}"` : 'null'
    response.end(
      `{"stealthAddresses":[${text.replace('[]', balances)}],"nextCursor":${nextCursor}}`,
    )
  })
  const recipient = { recipientAddress: ADDRESS, signature: SIGNATURE } as const
  const relayer = createRelayerClient({ baseUrl, requestTimeoutMs: 60_000 })
  expect(await failure(relayer.stealthAddresses(recipient))).toMatchObject({
    code: 'ANSWER_INVALID',
    message: expect.stringContaining('no end'),
  })
}, 60_000)

test('hundreds of thousands of wrong entries are one error, not one each', async () => {
  const wrong = Array(300_000).fill(0)
  const baseUrl = await serveLocally(({ url }, response) => {
    const metadata = Object.fromEntries(wrong.entries())
    if (url === '/events') {
      const data = { ...record, reverted: wrong, occurredAt: '', substatus: null, chainEvent: null }
      const event = { id: 'evt_1', type: 'intent.reorged', timestamp: '', data }
      response.writeHead(200).end(`data: ${JSON.stringify(event)}\n\n`)
    } else if (url?.startsWith('/intent-private')) json(response, { ...record, metadata })
    else json(response, { ...record, intents: wrong, orders: wrong, nextCursor: null, total: 0 })
  })
  const relayer = createRelayerClient({ baseUrl })
  const proof = { reader: ADDRESS, signature: SIGNATURE, timestamp: 1 } as const
  for (const asked of [
    relayer.intents(),
    relayer.privateDetails(ID, proof),
    createOrdersClient({ baseUrl }).listOrders(ADDRESS),
    followEvents(baseUrl).next(),
  ].map(failure))
    expect(await asked).toMatchObject({ name: 'RelayerError', code: 'ANSWER_INVALID' })
})

test('a refusal of megabytes isn’t for programs to log', async () => {
  const text = 'X'.repeat(5_000_000)
  const refusal = JSON.stringify({ code: text, error: text })
  const baseUrl = await serveLocally((_, response) => response.writeHead(400).end(refusal))
  const refused = await failure(createRelayerClient({ baseUrl }).batches())
  expect(refused).toMatchObject({ code: 'UNKNOWN' })
  expect((refused as Error).message.length).toBeLessThan(5_000)
})

test('a refusal that is one long text is no object with a field for each character', async () => {
  const baseUrl = await serveLocally((_, response) =>
    response.writeHead(400).end(JSON.stringify('x'.repeat(15_000_000))),
  )
  const began = Date.now()
  const relayer = createRelayerClient({ baseUrl, requestTimeoutMs: 60_000 })
  expect(await failure(relayer.eciesPublicKey())).toMatchObject({ code: 'UNKNOWN', status: 400 })
  expect(Date.now() - began).toBeLessThan(40_000)
})

test.each([
  ['the same cursor again', () => 'again'],
  ['new cursors without anything new', (page: number) => `page ${page}`],
])('a list of addresses ends with %s', async (_, cursorOf) => {
  let pages = 0
  const entry = {
    address: ADDRESS,
    ephemeralPubKey: '0x02',
    chainId: '84532',
    intentId: '7',
    safeAddress: ADDRESS,
    safeDeployed: false,
    createdAt: 1,
  }
  const baseUrl = await serveLocally((__, response) => {
    pages += 1
    json(response, { stealthAddresses: [entry], nextCursor: pages > 50 ? null : cursorOf(pages) })
  })
  const listed = createRelayerClient({ baseUrl }).stealthAddresses({
    recipientAddress: ADDRESS,
    signature: SIGNATURE,
  })
  expect(await failure(listed)).toMatchObject({ code: 'ANSWER_INVALID' })
  expect(pages).toBeLessThan(4)
})

test('a proof’s pages end with the same cursor again', async () => {
  let pages = 0
  const baseUrl = await serveLocally((_, response) => {
    pages += 1
    json(response, { page: { next: 'again' } })
  })
  await failure(verifyIntent(ID, { baseUrl, chains: [] }))
  expect(pages).toBeLessThan(4)
})

const record = {
  intentId: String(ID + 1n),
  sourceChainId: '84532',
  destChainId: '1',
  status: 'completed',
  isTerminal: true,
  sender: ADDRESS,
  tokenA: ADDRESS,
  tokenB: ADDRESS,
  amountA: '1',
  expectedAmountB: '1',
  reward: '0',
  feeBps: 250,
  timestamp: '2026-01-01T00:00:00Z',
  endTime: '2026-01-01T00:00:00Z',
  solverAddress: null,
  paramsHash: '0x',
  createTxHash: '0x',
  anchorTxHash: null,
  depositTxHash: null,
  solveTxHash: null,
  settleTxHash: null,
  chain2IntentId: null,
}

test('another intent’s record or details are no answer', async () => {
  const details = { recipients: [], amounts: [], metadata: {}, viewers: [] }
  const baseUrl = await serveLocally((_, response) =>
    json(response, { intent: record, ...record, ...details }),
  )
  const relayer = createRelayerClient({ baseUrl })
  const proof = { reader: ADDRESS, signature: SIGNATURE, timestamp: 1 } as const
  for (const asked of [relayer.intentDetails(ID), relayer.privateDetails(ID, proof)].map(failure)) {
    expect(await asked).toMatchObject({ code: 'ANSWER_INVALID' })
  }
})

test('a list with another sender’s intent is refused', async () => {
  const baseUrl = await serveLocally((_, response) =>
    json(response, { intents: [record], nextCursor: null }),
  )
  const relayer = createRelayerClient({ baseUrl })
  for (const query of [{}, { sender: ADDRESS.toLowerCase() }])
    expect((await relayer.intents(query)).intents).toHaveLength(1)
  const other = await failure(relayer.intents({ sender: `0x${'77'.repeat(20)}` }))
  expect(other).toMatchObject({ code: 'ANSWER_INVALID' })
})

test.each([
  { sourceChainId: 'abc' },
  { sourceChainId: '' },
  { destChainId: '0x5' },
  { destChainId: -1 },
  { destChainId: 1.5 },
  { endTime: 'tomorrow' },
  { sender: 'bob' },
  { tokenA: `${ADDRESS}00` },
  { amountA: '-1' },
  { reward: '0.5' },
  { createTxHash: 'soon' },
])('a record with %j is no answer: its reader would compute with NaN, or pay nobody', async (wrong) => {
  const baseUrl = await serveLocally((_, response) =>
    json(response, { intent: { ...record, intentId: String(ID), ...wrong } }),
  )
  const relayer = createRelayerClient({ baseUrl })
  expect(await failure(relayer.intentDetails(ID))).toMatchObject({ code: 'ANSWER_INVALID' })
})

test('an id beyond uint256 is refused: with it, a solver couldn’t read its chain', async () => {
  const listOf = async (intentId: bigint) => {
    const baseUrl = await serveLocally((_, response) =>
      json(response, { intents: [{ ...record, intentId: String(intentId) }], nextCursor: null }),
    )
    return createRelayerClient({ baseUrl }).intents()
  }
  expect((await listOf(2n ** 256n - 1n)).intents).toHaveLength(1)
  expect(await failure(listOf(2n ** 256n))).toMatchObject({ code: 'ANSWER_INVALID' })
})

test('a relayer can’t have a sender look up enclaves without end', async () => {
  const one = {
    kind: 'mock',
    quote: '0x',
    measurement: '0x',
    configuration: '',
    configurationDigest: '0x',
    keys: { eciesPublicKey: '0x04', attester: ADDRESS },
  }
  const of = async (length: number) => {
    const baseUrl = await serveLocally((_, response) =>
      json(response, { enclaves: Array(length).fill(one) }),
    )
    return createRelayerClient({ baseUrl }).attestation()
  }
  expect(await of(100)).toHaveLength(100)
  expect(await failure(of(101))).toMatchObject({ code: 'ANSWER_INVALID' })
})

test('an id may be a text, as programs without types have it', async () => {
  const baseUrl = await serveLocally((_, response) => json(response, { intent: record }))
  const id = record.intentId as never
  expect(await createRelayerClient({ baseUrl }).intentDetails(id)).toMatchObject({
    intentId: ID + 1n,
  })
})

/** Answers with a signed statement whose call is this. */
async function askFor(what: 'anchor' | 'reveal', intentId: bigint, data: string) {
  const signed = { intentId: String(intentId), chainId: '84532', signatures: [], signers: [] }
  const bytes = { encryptedBlob: '0x', sealed: '0x' }
  const baseUrl = await serveLocally((_, response) =>
    json(response, { ...signed, ...bytes, call: { to: ADDRESS, data } }),
  )
  return failure(createRelayerClient({ baseUrl })[what]({ intentId: ID }))
}

test('a call that the relayer offers to be sent does nothing but anchor or reveal that intent', async () => {
  const hash = keccak256('0x')
  const anchor = (id: bigint) =>
    encodeFunctionData({
      abi: bridgeIntentV2Abi,
      functionName: 'anchorIntent',
      args: [id, hash, hash, 250, 1, '0x', SIGNATURE],
    })
  const reveal = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'revealRecipients',
    args: [ID, '0x12', [SIGNATURE]],
  })
  const approve = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [ADDRESS, 2n ** 256n - 1n],
  })
  const cancel = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'cancelIntent',
    args: [ID],
  })
  const invalid = expect.objectContaining({ code: 'ANSWER_INVALID' })
  for (const what of ['anchor', 'reveal'] as const) {
    expect(await askFor(what, ID, approve)).toEqual(invalid)
    expect(await askFor(what, ID, cancel)).toEqual(invalid)
  }
  expect(await askFor('anchor', ID, anchor(ID + 1n))).toEqual(invalid)
  expect(await askFor('anchor', ID + 1n, anchor(ID))).toEqual(invalid)
  expect(await askFor('reveal', ID, anchor(ID))).toEqual(invalid)
  expect(await askFor('anchor', ID, anchor(ID))).toBe('[object Object]')
  expect(await askFor('reveal', ID, reveal)).toBe('[object Object]')
})

const schedule = {
  user: ADDRESS,
  assetIn: ADDRESS,
  assetOut: ADDRESS,
  chainIn: 'a',
  chainOut: 'b',
  sourceChainId: 1,
  destChainId: 2,
  period: 5,
  startTime: 1,
  endTime: 2,
} as const

const order = {
  ...schedule,
  vaultOrderId: keccak256(toHex('another order')),
  totalAmountIn: '1',
  amountPerPeriod: '1',
  expectedAmountOut: '1',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  status: 'completed',
  stopReason: 'filled',
  tranchesFilled: 1,
  totalTranches: 1,
  amountSpent: '1',
  amountRefunded: '0',
  amountLeft: '0',
  intentIds: [],
  nextTrancheAt: null,
  fundingTxHash: '0x',
  refundTxHash: null,
  lastError: null,
}
const another = { ...order, id: `twap-${order.vaultOrderId.slice(2, 34)}` }

const PUBLIC_KEY = `0x04${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}${'483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'}`

const submission = {
  ...schedule,
  totalAmountIn: 1n,
  amountPerPeriod: 1n,
  recipients: [ADDRESS],
  amounts: [1n],
} as const

test('another order is no answer', async () => {
  const baseUrl = await serveLocally(({ url }, response) =>
    json(response, url === '/ecies-pubkey' ? { publicKey: PUBLIC_KEY } : { order: another }),
  )
  const orders = createOrdersClient({ baseUrl })
  const own = keccak256(toHex('own order'))
  const sign = async () => SIGNATURE
  for (const asked of [
    orders.order(own),
    orders.order(`twap-${own.slice(2, 34)}`),
    orders.cancelOrder(own, sign),
    orders.createOrder(submission, sign),
  ].map(failure)) {
    expect(await asked).toMatchObject({ code: 'ANSWER_INVALID' })
  }
  expect(await orders.order(another.id)).toMatchObject({ id: another.id })
})

const RECORD = {
  owner: ADDRESS,
  token: ADDRESS,
  tokenB: ADDRESS,
  destChainId: 2n,
  expectedAmountB: 1n,
  amountPerPeriod: 1n,
  period: 5n,
  endTime: 2n,
  left: 1n,
  fired: 0n,
  closed: false,
}

test.each([
  ['has the order', { owner: `0x${'00'.repeat(20)}` }, 1, ['ANSWER_INVALID', 'ANSWER_INVALID']],
  ['has it with these terms', { amountPerPeriod: 2n }, 1, ['ANSWER_INVALID', 'ANSWER_INVALID']],
  ['has it open', {}, 1, ['active', 'ANSWER_INVALID']],
  ['has it closed', { left: 0n, closed: true }, 1, ['ANSWER_INVALID', 'cancelled']],
  ['is known', { left: 0n, closed: true }, 9, ['ANSWER_INVALID', 'INVALID_REQUEST']],
])('an order is placed, or cancelled, only if the owner’s vault %s', async (_, change, sourceChainId, results) => {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() * 120_000)
  onTestFinished(() => void vi.restoreAllMocks())
  let own: Record<string, unknown> & { vaultOrderId: Hex } = another
  const baseUrl = await serveLocally(async (request, response) => {
    if (request.url === '/ecies-pubkey') return json(response, { publicKey: PUBLIC_KEY })
    let text = ''
    for await (const piece of request) text += piece
    const left = { tranchesFilled: 0, amountLeft: '1', status: 'active' }
    if (request.url === '/orders') {
      const vaultOrderId = keccak256(JSON.parse(text).encrypted)
      own = { ...order, ...left, vaultOrderId, id: `twap-${vaultOrderId.slice(2, 34)}` }
    } else own = { ...own, sourceChainId, amountLeft: '0', status: 'cancelled' }
    // Another instance of the service may not know the order yet.
    json(response, { order: text === '' ? another : own })
  })
  const publicClient = { readContract: async () => ({ ...RECORD, ...change }) } as never
  const orders = createOrdersClient({
    baseUrl,
    chains: [{ chainId: 1, publicClient, vault: ADDRESS }],
  })
  const sign = async () => SIGNATURE
  const outcome = (asked: Promise<{ status: string }>) =>
    asked.then(
      ({ status }) => status,
      ({ code }: { code: string }) => code,
    )
  const placed = await outcome(orders.createOrder(submission, sign))
  expect([placed, await outcome(orders.cancelOrder(own.vaultOrderId, sign))]).toEqual(results)
})

test('a list with another’s order is no answer', async () => {
  const baseUrl = await serveLocally((_, response) =>
    json(response, { orders: [another], total: 1, nextCursor: null }),
  )
  const orders = createOrdersClient({ baseUrl })
  const owner = another.user.toLowerCase() as Hex
  expect((await orders.listOrders(owner)).orders).toHaveLength(1)
  const other = await failure(orders.listOrders(`0x${'77'.repeat(20)}`))
  expect(other).toMatchObject({ code: 'ANSWER_INVALID' })
})

test('an order whose placing failed can still be found: its error names it', async () => {
  const placed: string[] = []
  const baseUrl = await serveLocally(({ url }, response) =>
    url === '/ecies-pubkey'
      ? json(response, { publicKey: PUBLIC_KEY })
      : response.writeHead(503).end('{}'),
  )
  const sign = async (message: string) => {
    placed.push(`0x${message.split(':')[1]}`)
    return SIGNATURE
  }
  const made = createOrdersClient({ baseUrl }).createOrder(submission, sign)
  expect(await failure(made)).toMatchObject({
    status: 503,
    details: { vaultOrderId: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  })
  expect(placed).toHaveLength(1)
  expect(await failure(made)).toMatchObject({ details: { vaultOrderId: placed[0] } })
})

test('the call that an owner is to send after GAS_NOT_PAID places its own order, and nothing else', async () => {
  const call = (encrypted: Hex) => {
    const request = { terms: TERMS, digestOffset: 0n }
    const args = [request, encrypted, '0x', SIGNATURE, []] as const
    return encodeFunctionData({ abi: orderVaultAbi, functionName: 'fundOrder', args })
  }
  const claim = [ADDRESS, ADDRESS] as const
  const answers: [(encrypted: Hex) => Hex | null, string][] = [
    [call, 'GAS_NOT_PAID'],
    [() => call('0x0d'), 'ANSWER_INVALID'],
    [
      () => encodeFunctionData({ abi: orderVaultAbi, functionName: 'claim', args: claim }),
      'ANSWER_INVALID',
    ],
    [
      // The tokens go to the service; its order's ciphertext follows as a remainder that no token reads.
      (encrypted) => {
        const transfer = { abi: erc20Abi, functionName: 'transfer', args: [ADDRESS, 9n] } as const
        return `${encodeFunctionData(transfer)}${encrypted.slice(2)}`
      },
      'ANSWER_INVALID',
    ],
    // Another order, to which its own is only a remainder.
    [(encrypted) => `${call('0x0d')}${encrypted.slice(2)}`, 'ANSWER_INVALID'],
    [() => null, 'ANSWER_INVALID'],
  ]
  for (const [answer, code] of answers) {
    const baseUrl = await serveLocally(async (request, response) => {
      if (request.url === '/ecies-pubkey') return json(response, { publicKey: PUBLIC_KEY })
      let text = ''
      for await (const piece of request) text += piece
      const data = answer(JSON.parse(text).encrypted)
      const refusal = { success: false, error: 'send it yourself', code: 'GAS_NOT_PAID' }
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...refusal, details: { to: ADDRESS, data } }))
    })
    const made = createOrdersClient({ baseUrl }).createOrder(submission, async () => SIGNATURE)
    expect(await failure(made)).toMatchObject({ code, retryable: false })
  }
})

const TERMS = {
  owner: ADDRESS,
  token: ADDRESS,
  destChainId: 1n,
  tokenB: ADDRESS,
  expectedAmountB: 1n,
  totalAmount: 1n,
  amountPerPeriod: 1n,
  period: 60n,
  startTime: 1n,
  endTime: 2n,
  deadline: 2n,
} as const

test('no owner signs a service’s 64 digits by reading an order: they could name an order of the service’s', async () => {
  const signed: string[] = []
  const baseUrl = await serveLocally((_, response) => json(response, { order: another }))
  const sign = async (message: string) => {
    signed.push(message)
    return SIGNATURE
  }
  await createOrdersClient({ baseUrl }).order(another.vaultOrderId, sign)
  expect(signed).toEqual([expect.stringMatching(/^TWAP_READ:twap-[0-9a-f]{32}:\d+$/)])
})

test.each([
  `x:${keccak256(toHex('an order of the server’s')).slice(2)}`,
  keccak256(toHex('an order of the server’s')).slice(2),
])('no owner signs %s as a webhook’s id', (id) => {
  expect(() => webhookMessage('disable', id, 1)).toThrow('webhookId')
  expect(webhookMessage('disable', 'wh_AAAAAAAAAAAAAAAAAAAAAA', 1)).toContain(':wh_A')
})

test('no owner signs 64 digits as an intent’s id', () => {
  const relayer = createRelayerClient({ baseUrl: 'http://127.0.0.1:9' })
  const proof = { reader: ADDRESS, signature: SIGNATURE, timestamp: 1 } as const
  expect(() =>
    createCairnClient({ relayer: { baseUrl: 'http://a.example' }, chains: [] }).intent(
      '1'.repeat(64),
    ),
  ).toThrow('id')
  return expect(relayer.privateDetails(BigInt('1'.repeat(64)), proof)).rejects.toThrow('intentId')
})

const NOBODY = `0x${'0'.repeat(40)}`
const [OPEN, DEPOSITED, SETTLED, CANCELLED, REFUNDED] = [1, 2, 3, 4, 5]

/** A minute passes whenever the time is asked for. */
function countMinutes(): void {
  const began = performance.now()
  let asked = 0
  vi.spyOn(performance, 'now').mockImplementation(() => began + asked++ * 60_000)
  onTestFinished(() => void vi.restoreAllMocks())
}

/** The intent of the relayer's record, as its bridge has it before the deposit. */
const onChain = {
  sender: ADDRESS,
  tokenA: ADDRESS,
  tokenB: ADDRESS,
  amountA: 1n,
  expectedAmountB: 1n,
  reward: 0n,
  destChainId: 1n,
  endTime: BigInt(Date.parse(record.endTime) / 1_000),
  feeBps: 250,
  solver: NOBODY,
  amountB: 0n,
  fillDeadline: 0n,
}

const WON = { solver: ADDRESS, amountB: 9n, fillDeadline: onChain.endTime + 4_000n }

type Chain = Partial<Omit<typeof onChain, 'sender'>> & { phase: number; now?: number }

/** A wait for an intent: what the relayer says of it, and what the chain shows. Times are since the auction's end. */
async function waitWhen(status: string, chain: Chain, failures = 0, said: object = {}) {
  let left = failures
  const baseUrl = await serveLocally(({ url, headers }, response) => {
    if (url === '/events') return response.writeHead(404).end()
    if (headers['if-none-match']) return response.writeHead(304, { etag: '"1"' }).end()
    response.setHeader('etag', '"1"')
    json(response, { intent: { ...record, intentId: String(ID), status, ...said } })
  })
  const publicClient = {
    readContract: async ({ functionName }: { functionName: string }) =>
      functionName === 'PICKUP_WINDOW' ? 60 : { ...onChain, ...chain },
    getBlock: async () => {
      const error = { code: -32000, message: 'header not found' }
      if (left-- > 0) throw new RpcRequestError({ body: {}, url: 'http://node', error })
      return { timestamp: onChain.endTime + BigInt(chain.now ?? 5_000) }
    },
  }
  const bridge: Hex = ADDRESS
  const chains = [{ name: 'a', chainId: 84532, bridge, publicClient: publicClient as never }]
  const cairn = createCairnClient({ relayer: { baseUrl }, chains })
  const signal = AbortSignal.timeout(1_000)
  return cairn
    .intent(ID)
    .wait({ signal, pollMs: 20 })
    .then(
      (intent) => intent.status,
      ({ code, name }) => (name === 'TimeoutError' ? 'waits' : code),
    )
}

test.each([
  ['completed', { phase: DEPOSITED }, 'waits'],
  ['completed', { phase: REFUNDED }, 'waits'],
  ['completed', { phase: SETTLED }, 'completed'],
  ['cancelled', { phase: OPEN }, 'waits'],
  ['cancelled', { phase: SETTLED }, 'waits'],
  ['cancelled', { phase: CANCELLED }, 'cancelled'],
  ['expired', { phase: DEPOSITED }, 'waits'],
  ['expired', { phase: SETTLED }, 'waits'],
  ['expired', { phase: OPEN, now: -1 }, 'waits'],
  ['expired', { phase: OPEN, now: 119, solver: ADDRESS }, 'waits'],
  ['expired', { phase: OPEN, now: 0 }, 'INTENT_EXPIRED'],
  ['expired', { phase: OPEN, now: 120, solver: ADDRESS }, 'INTENT_EXPIRED'],
  ['expired', { phase: REFUNDED }, 'INTENT_EXPIRED'],
  ['failed', { phase: DEPOSITED, ...WON, now: 3_999 }, 'waits'],
  ['failed', { phase: SETTLED }, 'waits'],
  ['failed', { phase: DEPOSITED, ...WON, now: 4_000 }, 'EXECUTION_TIMEOUT'],
  ['failed', { phase: REFUNDED }, 'EXECUTION_TIMEOUT'],
])('a relayer’s %s counts only as the chain shows it: %o', async (status, chain, outcome) => {
  expect(await waitWhen(status, chain)).toBe(outcome)
})

test('an expired intent that was never anchored doesn’t ask for a higher reward: nobody could bid', async () => {
  const waitAs = async (feeBps: number | null) => {
    const expired = { ...record, intentId: String(ID), status: 'expired', feeBps }
    const baseUrl = await serveLocally((_, response) => json(response, { intent: expired }))
    return createCairnClient({ relayer: { baseUrl }, chains: [] }).intent(ID).wait()
  }
  await expect(waitAs(250)).rejects.toThrow(/^no solver took the intent.*: refund\(\) returns/)
  await expect(waitAs(null)).rejects.toThrow(
    /^nobody could bid.*registered recip.*: refund\(\) returns/,
  )
})

const PRICEY = `0x${'bb'.repeat(20)}`
const LATER = '2026-01-01T01:00:00Z'

test.each([
  { sender: PRICEY },
  { tokenA: PRICEY },
  { tokenB: PRICEY },
  { amountA: '1000000' },
  { expectedAmountB: '1000000' },
  { reward: '1' },
  { sourceChainId: '1' },
  { destChainId: '2' },
  { endTime: LATER },
  { feeBps: 700 },
  { solverAddress: PRICEY },
  { winningAmountB: '1000000' },
  { fillDeadline: LATER },
])('a relayer’s record counts only with the terms that the chain shows, not with %j', async (said) => {
  const won = { phase: SETTLED, ...WON }
  expect(await waitWhen('completed', won)).toBe('completed')
  const whole = {
    solverAddress: ADDRESS.toLowerCase(),
    winningAmountB: '9',
    fillDeadline: new Date(Number(WON.fillDeadline) * 1_000).toISOString(),
  }
  expect(await waitWhen('completed', won, 0, whole)).toBe('completed')
  countMinutes()
  expect(await waitWhen('completed', won, 0, said)).toBe('ANSWER_INVALID')
})

test('nobody is a winner before the deposit', async () => {
  const bid = { phase: CANCELLED, solver: ADDRESS, amountB: 9n }
  countMinutes()
  for (const said of [{ solverAddress: ADDRESS }, { winningAmountB: '9' }])
    expect(await waitWhen('cancelled', bid, 0, said)).toBe('ANSWER_INVALID')
})

test('a node that has an error once doesn’t end the wait, but one that goes on with it does', async () => {
  expect(await waitWhen('completed', { phase: SETTLED }, 2)).toBe('completed')
  countMinutes()
  expect(await waitWhen('completed', { phase: SETTLED }, 1_000)).toBe(-32000)
})

/**
 * Waits for an intent that the relayer calls completed.
 *
 * @param settledFrom the round from which on the node shows the settlement
 * @param onRound called in each round, before the node's answer; may throw
 */
async function waitAtLaggingNode(
  settledFrom: number,
  onRound: (round: number) => void,
  onError = () => {},
) {
  const baseUrl = await serveLocally(({ url }, response) => {
    if (url === '/events') return response.writeHead(404).end()
    json(response, { intent: { ...record, intentId: String(ID), status: 'completed' } })
  })
  let round = 0
  const publicClient = {
    readContract: async ({ functionName }: { functionName: string }) =>
      functionName === 'PICKUP_WINDOW'
        ? 60
        : { ...onChain, phase: round < settledFrom ? DEPOSITED : SETTLED },
    getBlock: async () => {
      onRound(round++)
      return { timestamp: 5_000n }
    },
  } as never
  const chains = [{ name: 'a', chainId: 84532, bridge: ADDRESS as Hex, publicClient }]
  const cairn = createCairnClient({ relayer: { baseUrl }, chains })
  const { status } = await cairn.intent(ID).wait({ pollMs: 20, onError })
  return [status, round]
}

test('a machine that slept while its node lagged contradicts no relayer', async () => {
  let now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  const sleep = () => {
    now += 3_600_000
  }
  expect(await waitAtLaggingNode(3, sleep)).toEqual(['completed', 4])
})

test('a node that lags after a long outage contradicts no relayer', async () => {
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  const failAtFirst = (round: number) => {
    if (round === 0) throw new HttpRequestError({ url: 'http://node' })
  }
  const onError = () => {
    now += 300_000
  }
  expect(await waitAtLaggingNode(2, failAtFirst, onError)).toEqual(['completed', 3])
})

test.each([
  'the relayer',
  'the node',
])('an abort ends a wait at once when %s says nothing', async (silent) => {
  const baseUrl = await serveLocally(({ url }, response) => {
    if (url === '/events') return response.writeHead(404).end()
    if (silent === 'the node')
      json(response, { intent: { ...record, intentId: String(ID), status: 'completed' } })
  })
  const never = () => new Promise<never>(() => {})
  const publicClient = { readContract: never, getBlock: never } as never
  const chains = [{ name: 'a', chainId: 84532, bridge: ADDRESS as Hex, publicClient }]
  const cairn = createCairnClient({ relayer: { baseUrl }, chains })
  const leaving = new AbortController()
  const waiting = failure(cairn.intent(ID).wait({ signal: leaving.signal }))
  setTimeout(() => leaving.abort('enough'), 300)
  expect(await waiting).toBe('enough')
})

test('a relayer that its chain contradicts for minutes is named', async () => {
  countMinutes()
  expect(await waitWhen('completed', { phase: OPEN })).toBe('ANSWER_INVALID')
})

test.each([
  '0x12',
  `0x${'ff'.repeat(32)}`,
  SIGNATURE,
])('what is no private key is an invalid answer, which doesn’t quote it: %s', async (stealthPrivateKey) => {
  const baseUrl = await serveLocally((_, response) =>
    json(response, { stealthAddress: ADDRESS, stealthPrivateKey }),
  )
  const account = privateKeyToAccount(keccak256('0x01'))
  const walletClient = createWalletClient({ account, transport: http(baseUrl) })
  const recipient = createCairnClient({
    relayer: { baseUrl },
    chains: [],
    walletClient,
  }).recipient()
  const error = (await failure(recipient.stealthKey({ address: ADDRESS }))) as Error
  expect(error).toMatchObject({ code: 'ANSWER_INVALID' })
  expect(error.cause).toBe(undefined)
  expect(error.message).not.toContain(BigInt(stealthPrivateKey).toString().slice(0, 9))
})
