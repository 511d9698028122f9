import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  parseEventLogs,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createRelayerWriteRoutes } from '../../../api/rest/relayerWriteRoutes.ts'
import { createSettlementRoutes } from '../../../api/rest/settlement/settlementRoutes.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeProxyFactoryAbi } from '../../../core/safe/safeAbi.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { worth } from '../../../devnet/tokens.ts'
import {
  type BatchState,
  CAIRN_ERROR_CODES,
  type CairnClient,
  type CairnClientOptions,
  CairnError,
  createCairnClient,
  createRelayerClient,
  deriveStealthKeyMessage,
  type IntentRequest,
  registerRecipientMessage,
  safeTransactionHash,
  transferCall,
  verifyWebhook,
} from '../../../sdk/index.ts'
import { blobBindingsOf, toIntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import { loadIndexedBlobs } from '../../../services/relayer/terms/loadIndexedBlobs.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import {
  closeTestbed,
  depositAsWinner,
  endReactions,
  isIn,
  openTestbed,
  rig,
  startReactions,
} from '../reactions/reactionsTestbed.ts'
import type { Offer } from '../reactions/relayerRig.ts'
import { describeBatches } from './describeBatches.ts'

const FREE = { perSecond: 100_000, burst: 100_000 }
const NOWHERE = 'http://127.0.0.1:9'
const apis: RunningApi[] = []
const { senders, deployer, guests } = deriveDevnetAccounts()
const recipient = privateKeyToAccount(keccak256(toHex('a recipient of the SDK’s')))
const silent = createServer(() => {})

let client: CairnClient
let options: CairnClientOptions
let won: Offer

beforeAll(async () => {
  await openTestbed()
  await startReactions()
  const api = await openApi(FREE)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  options = optionsFor(api.url)
  client = createCairnClient(options)
}, 300_000)

afterAll(async () => {
  silent.close()
  silent.closeAllConnections()
  await Promise.all(apis.map((api) => api.stop()))
  await endReactions()
  await closeTestbed()
})

async function openApi(reads: { perSecond: number; burst: number }): Promise<RunningApi> {
  const api = await startApi({
    databaseUrl: rig.postgres.databaseUrl,
    chains: rig.configs,
    host: '127.0.0.1',
    port: 0,
    limits: { reads, writes: FREE },
    routes: [
      createRelayerWriteRoutes({ enclave: rig.enclave, authMode: 'compat', adminTokens: [] }),
      createSettlementRoutes({ adminTokens: [], deliveryTimeoutMs: 500 }),
    ],
    onFailure: () => {},
  })
  apis.push(api)
  return api
}

function readerOf(rpc: string) {
  return createPublicClient({ transport: http(rpc, { retryCount: 0 }), pollingInterval: 50 })
}

function optionsFor(baseUrl: string, by = senders[0]!.privateKey): CairnClientOptions {
  const { base, horizen } = rig
  return {
    relayer: { baseUrl },
    chains: [base, horizen].map(({ name, chainId, contracts: { bridge }, node }) => ({
      name,
      chainId,
      bridge,
      publicClient: readerOf(node.rpc) as never,
    })),
    walletClient: createWalletClient({
      account: privateKeyToAccount(by),
      transport: http(base.node.rpc),
    }) as never,
  }
}

async function request(change: Partial<IntentRequest> = {}): Promise<IntentRequest> {
  const { tokens } = rig.base.contracts
  const { timestamp } = await rig.base.client.getBlock()
  return {
    sourceChain: 'base_sepolia',
    destChain: 'horizen_testnet',
    tokenIn: tokens.USDC,
    tokenOut: tokens.ZEN,
    deadline: Math.max(Number(timestamp), Math.floor(Date.now() / 1_000)) + 90,
    amountIn: worth('USDC', 10_000),
    minAmountOut: worth('ZEN', 50),
    reward: 1n,
    recipients: [{ address: recipient.address, amount: worth('ZEN', 20) }],
    ...change,
  }
}

const submit = async (change: Partial<IntentRequest>, by = client) =>
  by.submitIntent(await request(change))

/** One Safe of the recipient's on Horizen, and how it asks for a transfer of more than there is. */
let safe: { safeAddress: Address; stealthAddress: Address; key: Hex }

async function relayTransfer(): Promise<Hex> {
  const { chainId, contracts } = rig.horizen
  const call = transferCall(contracts.tokens.ZEN, senders[1]!.address, worth('ZEN', 1_000))
  const transaction = { ...call, operation: 0, nonce: 0n } as const
  const { safeAddress } = safe
  const signature = await privateKeyToAccount(safe.key).sign({
    hash: safeTransactionHash({ chainId, safeAddress }, transaction),
  })
  return client.relayer.relayProxy({ ...transaction, safeAddress, chainId, signature })
}

/** As anybody may: with its owner's address alone. */
async function deploySafe(): Promise<void> {
  const { chainId, node, contracts } = rig.horizen
  const of = findSafeContracts(chainId)
  const { initializer, saltNonce } = predictSafe(safe.stealthAddress, chainId, of)
  const wallet = createWalletClient({
    account: privateKeyToAccount(deployer.privateKey),
    transport: http(node.rpc),
  })
  const deploy = encodeFunctionData({
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [of.singleton, initializer, saltNonce],
  })
  const calls = [
    { to: of.proxyFactory, data: deploy },
    { to: contracts.tokens.ZEN, data: encodeMint(safe.safeAddress, worth('ZEN', 1)) },
  ]
  for (const call of calls) {
    const hash = await wallet.sendTransaction({ chain: null, ...call })
    await readerOf(node.rpc).waitForTransactionReceipt({ hash })
  }
  await rig.horizen.client.mine({ blocks: 3 })
}

/** A delivery that reverted: what its solver may tell the relayer all the same. */
async function settleByReverted(): Promise<unknown> {
  won = await rig.create()
  await depositAsWinner(won)
  await rig.until(isIn('deposited', won), 'deposited')
  const { depositTxHash } = (await rig.stored(won.id))!.source
  const { horizen, base } = rig
  const wallet = createWalletClient({
    account: privateKeyToAccount(senders[2]!.privateKey),
    transport: http(horizen.node.rpc),
  })
  const solveTxHash = await wallet.sendTransaction({
    chain: null,
    to: horizen.contracts.bridge,
    data: '0xdeadbeef',
    gas: 100_000n,
  })
  await horizen.client.mine({ blocks: 3 })
  return client.relayer.settle({
    intentId: won.id,
    network: 'base_sepolia',
    chain2IntentId: (2651420n << 64n) | 1n,
    solverAddress: base.solvers[0]!.address,
    destinationChain: 'horizen_testnet',
    depositTxHash: depositTxHash as Hex,
    solveTxHash,
  })
}

async function awaitNobody(): Promise<unknown> {
  const handle = await client.submitIntent(await request(), { skipLiquidityCheck: true })
  await rig.until(async () => (await rig.stored(handle.id)) !== null, 'indexed')
  await rig.base.client.increaseTime({ seconds: 100 })
  await rig.base.client.mine({ blocks: 2 })
  return client.intent(handle.id).wait({ pollMs: 200 })
}

async function registerSolver(): Promise<void> {
  const { base, horizen } = rig
  const { USDC: tokenA, ZEN: tokenB } = base.contracts.tokens
  await client.relayer.registerSolver(
    {
      solverAddress: base.solvers[0]!.address,
      routes: [{ sourceChain: base.name, destChain: horizen.name, tokenA, tokenB }],
    },
    {},
  )
}

async function completeOne(): Promise<void> {
  const offer = await rig.create()
  await depositAsWinner(offer)
  await rig.deliver(offer)
  await rig.until(isIn('completed', offer), 'completed')
}

async function makeSafe(): Promise<void> {
  const { address: recipientAddress } = recipient
  const message = registerRecipientMessage(recipientAddress)
  await client.relayer.registerRecipient({
    recipientAddress,
    signature: await recipient.signMessage({ message }),
  })
  const { stealthAddress, safeAddress } = await client.relayer.generateStealth({
    recipientAddress,
    chainId: rig.horizen.chainId,
    intentId: won.id,
  })
  const asked = deriveStealthKeyMessage(recipientAddress, stealthAddress)
  const signature = await recipient.signMessage({ message: asked })
  const key = await client.relayer.deriveStealthKey({ recipientAddress, stealthAddress, signature })
  safe = { safeAddress, stealthAddress, key }
}

const SECRET = `whsec_${Buffer.from('a secret of webhooks').toString('base64')}`

/** Each code, and what provokes it for real. In this order: some need what was before. */
const PROVOKED: [string, () => Promise<unknown>][] = [
  ['INTENT_DEADLINE_PAST', () => submit({ deadline: Date.now() / 1_000 - 1 })],
  ['UNSUPPORTED_CHAIN', () => submit({ destChain: 'polygon_mainnet' })],
  ['UNSUPPORTED_ASSET', () => submit({ tokenIn: recipient.address })],
  ['AMOUNT_BELOW_MINIMUM', () => submit({ amountIn: 1n, reward: 0n })],
  ['AMOUNT_ABOVE_MAXIMUM', () => submit({ amountIn: worth('USDC', 10_000_000_000) })],
  ['INVALID_RECIPIENT', () => submit({ recipients: [{ address: '0x12', amount: 1n }] })],
  ['MIN_OUTPUT_INVALID', () => submit({ minAmountOut: 0n })],
  ['METADATA_TOO_LARGE', () => submit({ metadata: { note: 'ä'.repeat(2_100) } })],
  ['NO_SOLVER_AVAILABLE', () => submit({})],
  [
    'MIN_OUTPUT_UNATTAINABLE',
    async () => {
      await registerSolver()
      await completeOne()
      return submit({ minAmountOut: worth('ZEN', 20_000) })
    },
  ],
  [
    'RATE_LIMITED',
    async () => {
      const { relayer } = createCairnClient(
        optionsFor((await openApi({ perSecond: 0.001, burst: 1 })).url),
      )
      await relayer.eciesPublicKey()
      return relayer.eciesPublicKey()
    },
  ],
  [
    'WEBHOOK_SIGNATURE_INVALID',
    async () => {
      const [id, timestamp] = ['msg_1', String(Math.floor(Date.now() / 1_000))]
      const sign = (body: string) => {
        const key = Buffer.from(SECRET.slice(6), 'base64')
        const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
        return `v1,${digest.digest('base64')}`
      }
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'Webhook-Signature': `v1a,AAAA ${sign('{"a":1}')}`,
      }
      expect(verifyWebhook('{"a":1}', headers, SECRET)).toEqual({ a: 1 })
      return verifyWebhook('{"a":2}', headers, SECRET)
    },
  ],
  [
    'RPC_UNREACHABLE',
    () => {
      const [source, destination] = options.chains as [never, never]
      const away = { ...(source as object), publicClient: readerOf(NOWHERE) } as never
      return submit({}, createCairnClient({ ...options, chains: [away, destination] }))
    },
  ],
  [
    'TACHYON_API_UNREACHABLE',
    () => submit({}, createCairnClient({ ...options, relayer: { baseUrl: NOWHERE } })),
  ],
  [
    'REQUEST_TIMEOUT',
    () => {
      const { port } = silent.address() as AddressInfo
      const baseUrl = `http://127.0.0.1:${port}`
      return createRelayerClient({ baseUrl, requestTimeoutMs: 100 }).eciesPublicKey()
    },
  ],
  ['SETTLEMENT_REVERTED', settleByReverted],
  [
    'VIEWING_KEY_MISSING',
    () =>
      createCairnClient({ ...options, walletClient: undefined })
        .intent(won.id)
        .details(),
  ],
  [
    'SAFE_NOT_DEPLOYED',
    async () => {
      await makeSafe()
      return relayTransfer()
    },
  ],
  [
    'RELAY_PROXY_REVERTED',
    async () => {
      await deploySafe()
      return relayTransfer()
    },
  ],
  ['INTENT_EXPIRED', awaitNobody],
  [
    'EXECUTION_TIMEOUT',
    async () => {
      // The destination's clock is behind: auctions have passed on the source alone.
      await rig.play.letDeadlinePass()
      await rig.play.letDeadlinePass()
      return client.intent(won.id).wait({ pollMs: 200 })
    },
  ],
]

/** Codes that the specification doesn't have. */
const OWN_CODES = [
  ...['CONTRACT_REVERTED', 'BRIDGE_NOT_FOUND', 'INTENT_ENDED', 'INVALID_REQUEST'],
  ...['ANSWER_INVALID', 'EVENTS_REFUSED', 'NOT_AN_ENCLAVE', 'NOT_CANONICAL', 'WRONG_CHAIN'],
  ...['GAS_TOO_DEAR', 'TRANSACTION_PENDING', 'BATCH_STATE_INVALID'],
]

const RETRYABLE = ['RATE_LIMITED', 'RPC_UNREACHABLE', 'TACHYON_API_UNREACHABLE', 'REQUEST_TIMEOUT']

test.each(PROVOKED)('%s', async (code, provoke) => {
  const error = await provoke().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CairnError)
  const { code: reported, retryable, details, message, cause } = error as CairnError
  expect([reported, retryable], message).toEqual([code, RETRYABLE.includes(code)])
  expect(details).toBeTypeOf('object')
  expect(message.length).toBeGreaterThan(10)
  if (/UNREACHABLE|TIMEOUT$/.test(code) && code !== 'EXECUTION_TIMEOUT') expect(cause).toBeDefined()
})

test('quote() returns what an intent would yield, who would deliver it, and how long it takes', async () => {
  const { sourceChain, destChain, tokenIn, tokenOut, amountIn } = await request()
  const pair = { sourceChain, destChain, tokenIn, tokenOut }
  const quote = await client.quote({ ...pair, amountIn, reward: 0n })
  const { solvers } = rig.base
  expect(quote).toMatchObject({
    amountA: amountIn,
    reward: 0n,
    feeBps: 250,
    fee: amountIn / 40n,
    liveSolvers: 1,
    basis: { kind: 'completed_intents', intents: 1, solvers: 1 },
    solvers: [{ address: solvers[0]!.address, isRegistered: true, isAble: true, wins: 1 }],
  })
  expect(quote.amountB).toBeGreaterThan(0n)
  expect(quote.bestAmountB).toBe(quote.amountB)
  expect(quote.completionSeconds?.p95).toBeGreaterThan(0)
  const shielded = await client.quote({ ...pair, amountIn, reward: 0n, shielded: true })
  expect(shielded.amountB).toBeLessThan(quote.amountB as bigint)
  // A code of the relayer's is the SDK's.
  await expect(client.quote({ ...pair, amountIn: 1n, reward: 0n })).rejects.toMatchObject({
    code: 'AMOUNT_BELOW_MINIMUM',
    retryable: false,
    details: { field: 'amountA' },
  })
})

test('intents() filters by amounts as bigints, and counts', async () => {
  const page = await client.relayer.intents({ limit: 1, minAmountA: 1n, total: true })
  expect(page.total).toBeGreaterThan(0)
  const none = await client.relayer.intents({ minAmountA: 10n ** 70n, total: true })
  expect(none).toMatchObject({ intents: [], total: 0 })
})

test('routes() lists pairs with a live solver, batches() the intents open for bids', async () => {
  const { sourceChain, destChain, tokenIn: tokenA, tokenOut: tokenB } = await request()
  await registerSolver()
  const { routes, solvers } = await client.relayer.routes({ sourceChain, destChain })
  const plain = (one: { tokenA: string; tokenB: string }) =>
    [one.tokenA, one.tokenB].map((token) => token.toLowerCase())
  expect(routes.map(plain)).toContainEqual(plain({ tokenA, tokenB }))
  expect(solvers.map(({ address }) => address)).toEqual([rig.base.solvers[0]!.address])
  const none = await client.relayer.routes({ sourceChain: destChain, destChain: sourceChain })
  expect(none.routes).toEqual([])

  const count = async () => {
    const batches = await client.relayer.batches()
    return batches.find((one) => String(plain(one)) === String(plain({ tokenA, tokenB })))?.count
  }
  const before = (await count()) ?? 0
  const handle = await client.submitIntent(await request(), { skipLiquidityCheck: true })
  await rig.until(async () => (await count()) === before + 1, 'the auction is among the open ones')
  const record = await handle.record()
  const auctionDuration = record.endTime - record.timestamp
  const terms = { ...record, chainId: record.sourceChainId, user: record.sender, auctionDuration }
  const { bridge } = rig.base.contracts
  expect(record).toMatchObject({
    intentId: handle.id,
    paramsHash: paramsHash({ ...terms, bridge }),
  })
  await handle.cancel()
  await rig.until(async () => ((await count()) ?? 0) === before, 'it no longer is')
})

test('the table has the specification’s 21 codes', () => {
  expect(PROVOKED.map(([code]) => code).sort()).toEqual(
    CAIRN_ERROR_CODES.filter((code) => !OWN_CODES.includes(code)).sort(),
  )
  expect(PROVOKED).toHaveLength(21)
})

test('an output below half or above all of the same asset, as with wrong decimals, is refused', async () => {
  const tokenOut = rig.horizen.contracts.tokens.USDC
  const recipients = [{ address: recipient.address, amount: 1n }]
  const code = 'MIN_OUTPUT_INVALID'
  for (const minAmountOut of [1n, worth('USDC', 5_000) - 1n, worth('USDC', 10_000) + 1n])
    await expect(submit({ tokenOut, recipients, minAmountOut })).rejects.toMatchObject({ code })
})

test('a wallet on another chain sends nothing, and a batch saves no attempt', async () => {
  const { sourceChain: destChain, destChain: sourceChain, ...rest } = await request()
  const { tokens } = rig.horizen.contracts
  const terms = { ...rest, sourceChain, destChain, tokenIn: tokens.ZEN, tokenOut: tokens.USDC }
  const wrong = { code: 'WRONG_CHAIN', details: { walletChainId: 84532, chainId: 2651420 } }
  await expect(client.submitIntent(terms)).rejects.toMatchObject(wrong)
  await expect(client.intent((2651420n << 64n) | 1n).refund()).rejects.toMatchObject(wrong)
  const amountIn = worth('ZEN', 3_000)
  const { deadline: _, ...batch } = { ...terms, amountIn, auctionSeconds: 90 }
  const saved: BatchState[] = []
  const options = { save: (state: BatchState) => void saved.push(state), skipLiquidityCheck: true }
  await expect(client.submitBatch(batch, options)).rejects.toMatchObject(wrong)
  expect(saved.flatMap(({ parts }) => parts.filter(({ attempt }) => attempt !== null))).toEqual([])
})

test('an intent whose deadline passed while its owner approved the tokens isn’t created', async () => {
  const own = optionsFor(options.relayer.baseUrl, guests[1]!.privateKey)
  const wallet = own.walletClient!
  const intent = await request()
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let sent = 0
  const sendTransaction: typeof wallet.sendTransaction = async (transaction) => {
    sent += 1
    const hash = await wallet.sendTransaction(transaction)
    vi.setSystemTime((intent.deadline + 1) * 1_000)
    return hash
  }
  const slow = createCairnClient({ ...own, walletClient: { ...wallet, sendTransaction } })
  await expect(slow.submitIntent(intent, { skipLiquidityCheck: true })).rejects.toMatchObject({
    code: 'INTENT_DEADLINE_PAST',
  })
  expect(sent).toBe(1)
})

test('the bridge’s errors are passed on by name', async () => {
  const stranger = createCairnClient(optionsFor(options.relayer.baseUrl, senders[1]!.privateKey))
  const handle = await client.submitIntent(await request(), { skipLiquidityCheck: true })
  await expect(stranger.intent(handle.id).cancel()).rejects.toMatchObject({
    code: 'CONTRACT_REVERTED',
    retryable: false,
    details: { errorName: 'NotSender' },
  })
  const { status } = await handle.cancel()
  expect(status).toBe('success')
  const seen: string[] = []
  const ended = await handle.wait({ pollMs: 200, onUpdate: (one) => seen.push(one.status) })
  expect([ended.status, seen.at(-1)]).toEqual(['cancelled', 'cancelled'])
})

test('cancel() believes the event, not that the transaction succeeded', async () => {
  const handle = await client.submitIntent(await request(), { skipLiquidityCheck: true })
  const { walletClient } = options
  const { address } = walletClient!.account
  // Its owner replaces it with nothing, or a smart account's call fails in a transaction that succeeds.
  const sendTransaction = async ({ to: _, data: __, ...rest }: { to: Address; data: Hex }) =>
    walletClient!.sendTransaction({ ...rest, to: address, value: 0n } as never)
  const replaced = createCairnClient({
    ...options,
    walletClient: { ...walletClient, sendTransaction } as never,
  })
  await expect(replaced.intent(handle.id).cancel()).rejects.toMatchObject({
    code: 'CONTRACT_REVERTED',
    retryable: false,
    details: { txHash: expect.stringMatching(/^0x/) },
  })
  await handle.cancel()
})

test('refund() refunds an expired intent once, and wait() reports that it is possible', async () => {
  const asked = await request()
  const handle = await client.submitIntent(asked, { skipLiquidityCheck: true })
  await rig.until(async () => (await rig.stored(handle.id)) !== null, 'indexed')
  await expect(handle.refund()).rejects.toMatchObject({ code: 'CONTRACT_REVERTED' })
  await rig.base.client.increaseTime({ seconds: 100 })
  await rig.base.client.mine({ blocks: 2 })
  await expect(handle.wait({ pollMs: 200 })).rejects.toMatchObject({ code: 'INTENT_EXPIRED' })
  const { status, logs, transactionHash } = await handle.refund()
  expect(status).toBe('success')
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs })
  expect(transfers.map(({ address, args }) => [address, args.to, args.value])).toEqual([
    [asked.tokenIn.toLowerCase(), senders[0]!.address, asked.amountIn + asked.reward],
  ])
  // The relayer refunds too: whoever comes second learns that it is done.
  await rig.until(async () => (await handle.record()).refund?.status === 'done', 'indexed')
  const { blockNumber } = await rig.base.client.getTransactionReceipt({ hash: transactionHash })
  const { timestamp } = await rig.base.client.getBlock({ blockNumber })
  // What books need of it.
  expect((await handle.record()).refund).toEqual({
    status: 'done',
    txHash: transactionHash,
    amount: asked.amountIn + asked.reward,
    at: Number(timestamp),
  })
  for (const again of [() => handle.refund(), () => handle.cancel()]) {
    await expect(again()).rejects.toMatchObject({
      code: 'INTENT_ENDED',
      retryable: false,
      message: `intent ${handle.id} was refunded: its sender has the funds (transaction ${transactionHash})`,
      details: { errorName: 'WrongPhase', status: 'refunded', txHash: transactionHash },
    })
  }
})

test('an address that is not a bridge is named before anything is sent', async () => {
  const [source, destination] = options.chains as [
    (typeof options.chains)[0],
    (typeof options.chains)[0],
  ]
  const { tokens } = rig.base.contracts
  for (const bridge of [guests[0]!.address, tokens.USDC, rig.base.contracts.registry]) {
    for (const chains of [
      [{ ...source, bridge }, destination],
      [source, { ...destination, bridge }],
    ]) {
      const { name } = chains.find((one) => one.bridge === bridge)!
      await expect(submit({}, createCairnClient({ ...options, chains }))).rejects.toMatchObject({
        code: 'BRIDGE_NOT_FOUND',
        retryable: false,
        message: `there is no Cairn bridge at ${bridge} on ${name}: check chains[].bridge`,
      })
    }
  }
})

test('submitIntent() returns a handle that follows the intent to its end; the id alone does so too', async () => {
  const payee: Address = `0x${'7c'.repeat(20)}`
  const amount = worth('ZEN', 20)
  const handle = await client.submitIntent(
    await request({
      recipients: [{ address: payee, amount }],
      metadata: { invoice: '2026-11' },
      viewers: [senders[1]!.address],
    }),
    { skipLiquidityCheck: true },
  )
  const offer = { id: handle.id, recipients: [payee], amounts: [amount] }
  await depositAsWinner(offer)
  await rig.deliver(offer)
  const seen: string[] = []
  const [ended] = await Promise.all([
    client.intent(handle.id).wait({ pollMs: 200, onUpdate: ({ status }) => seen.push(status) }),
    rig.until(isIn('completed', offer), 'completed'),
  ])
  expect([ended.status, ended.createTxHash]).toEqual(['completed', handle.createTxHash])
  expect(seen.at(-1)).toBe('completed')
  expect(await handle.status()).toBe('completed')
  await expect(handle.refund()).rejects.toMatchObject({
    code: 'INTENT_ENDED',
    message: expect.stringContaining('is completed: its winner has been paid'),
    details: { status: 'completed', txHash: ended.settleTxHash },
  })
  const viewer = createCairnClient({
    ...options,
    walletClient: optionsFor(options.relayer.baseUrl, senders[1]!.privateKey).walletClient,
  })
  for (const reader of [client, viewer]) {
    const { recipients, metadata, viewers } = await reader.intent(handle.id).details()
    expect([recipients.map((one) => one.toLowerCase()), metadata]).toEqual([
      [payee],
      { invoice: '2026-11' },
    ])
    expect(viewers).toEqual([senders[1]!.address])
  }
  const aborted = AbortSignal.abort(new Error('enough'))
  await expect(handle.wait({ signal: aborted })).rejects.toThrow('enough')
})

test('submitIntent() names recipients in another order each time, which a delivery shows', async () => {
  const recipients = Array.from({ length: 20 }, (_, at) => ({
    address: `0x${(at + 1).toString(16).padStart(40, '7')}` as Address,
    amount: worth('ZEN', 1) + BigInt(at),
  }))
  const orders: string[] = []
  for (let times = 1; times <= 2; times++) {
    const { id } = await client.submitIntent(await request({ recipients }), {
      skipLiquidityCheck: true,
    })
    await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
    const { source } = (await rig.stored(id))!
    const terms = toIntentTerms(source, rig.base.contracts.bridge.toLowerCase() as Address)
    const [creation] = await loadIndexedBlobs(rig.database.db, terms)
    const expected = blobBindingsOf(terms)
    const opened = await rig.enclave.openBlob({ blob: creation!.blob, expected })
    if (!opened.ok) throw new Error(opened.reason)
    const { recipients: named, amounts } = opened.contents
    expect(new Map(named.map((one, at) => [one, amounts[at]]))).toEqual(
      new Map(recipients.map(({ address, amount }) => [address, amount])),
    )
    orders.push(named.join())
    await client.intent(id).cancel()
  }
  const given = recipients.map(({ address }) => address).join()
  expect(new Set([...orders, given]).size).toBe(3)
})

describeBatches(
  () => optionsFor(options.relayer.baseUrl, guests[0]!.privateKey),
  guests[0]!.privateKey,
)
