import { createRequire } from 'node:module'
import {
  createWalletClient,
  custom,
  HttpRequestError,
  toHex,
  WaitForTransactionReceiptTimeoutError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { SendingWallet } from '../../../sdk/client/requireWallet.ts'
import { sendTransaction } from '../../../sdk/client/sendTransaction.ts'
import { isRejectedByUser } from '../../../sdk/errors/toCairnError.ts'
import { createOrdersClient, type OrderParams, type RelayerError } from '../../../sdk/index.ts'

// A program that repeats whatever is `retryable` must not pay twice.

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const ADDRESS = `0x${'b1'.repeat(20)}` as const
const HASH = `0x${'77'.repeat(32)}` as const

/** Another copy of viem, whose errors are of other classes. */
const otherViem = createRequire(import.meta.url)('viem') as typeof import('viem')

/** A wallet whose node stops answering at this step. */
function walletCutOffAt(
  step: 'simulation' | 'sending' | 'waiting',
  Outage = HttpRequestError,
): SendingWallet {
  const answer =
    <Value>(here: typeof step, value: Value) =>
    async () => {
      if (step === here) throw new Outage({ url: 'http://node' })
      return value
    }
  const wallet = {
    getChainId: async () => 84532,
    request: async () => '0x7',
    sendTransaction: answer('sending', HASH),
  }
  const client = {
    call: answer('simulation', {}),
    waitForTransactionReceipt: answer('waiting', { status: 'success' }),
  }
  const source = { name: 'base_sepolia', chainId: 84532 }
  return { wallet, client, account, source } as never
}

const failureOf = (sending: SendingWallet, options: Parameters<typeof sendTransaction>[3]) =>
  sendTransaction(sending, ADDRESS, '0x', options).catch((error: unknown) => error)

test.each([
  ['simulation', true, undefined],
  ['sending', false, { txHash: null }],
  ['waiting', false, { txHash: HASH }],
] as const)('a payment cut off at its %s is retryable: %s', async (step, retryable, details) => {
  const failure = await failureOf(walletCutOffAt(step), { isPayment: true })
  expect(failure).toMatchObject({ code: 'RPC_UNREACHABLE', retryable })
  if (details) expect(failure).toMatchObject({ details, message: /may be mined/ })
})

test('a failure is recognised whichever copy of viem it comes from', async () => {
  const { HttpRequestError: Outage, UserRejectedRequestError, BaseError } = otherViem
  expect(Outage).not.toBe(HttpRequestError)
  const failure = await failureOf(walletCutOffAt('sending', Outage), { isPayment: true })
  expect(failure).toMatchObject({ code: 'RPC_UNREACHABLE', retryable: false })
  const cause = new UserRejectedRequestError(new Error('no'))
  expect(isRejectedByUser(new BaseError('failed', { cause }))).toBe(true)
})

test.each([
  ['a payment', { isPayment: true }, { code: 'RPC_UNREACHABLE', retryable: false }],
  ['a batch’s', { nonce: 7 }, { code: 'TRANSACTION_PENDING', retryable: true }],
  ['a cancellation', {}, { code: 'TRANSACTION_PENDING', retryable: true }],
])('%s that waits for signatures longer than viem does says that it may be mined', async (_, options, expected) => {
  const Timeout = WaitForTransactionReceiptTimeoutError.bind(null, { hash: HASH })
  const failure = await failureOf(walletCutOffAt('waiting', Timeout as never), options)
  expect(failure).toMatchObject({ ...expected, name: 'CairnError', message: /may/ })
})

test('what a chain accepts only once stays retryable', async () => {
  for (const options of [{}, { nonce: 7 }]) {
    const failure = await failureOf(walletCutOffAt('waiting'), options)
    expect(failure).toMatchObject({ code: 'RPC_UNREACHABLE', retryable: true })
  }
})

const order: OrderParams = {
  user: account.address,
  assetIn: ADDRESS,
  assetOut: ADDRESS,
  chainIn: 'base_sepolia',
  chainOut: 'horizen_testnet',
  sourceChainId: 84532,
  destChainId: 2651420,
  totalAmountIn: 100n,
  amountPerPeriod: 10n,
  period: 60,
  startTime: 1_795_000_000,
  endTime: 1_796_000_000,
  recipients: [ADDRESS],
  amounts: [9n],
}

const refused = (status: number, code: string) =>
  Response.json({ success: false, code, error: 'no' }, { status })

test.each([
  ['refuses', () => refused(400, 'SIGNER_MISMATCH'), false, undefined],
  ['is too busy', () => refused(429, 'RATE_LIMITED'), true, undefined],
  ['has failed', () => refused(500, 'INTERNAL'), false, expect.stringMatching(/^0x/)],
  ['has no result yet', () => refused(503, 'FUNDING_PENDING'), false, expect.stringMatching(/^0x/)],
  ['answers nonsense', () => new Response('<html>'), false, expect.stringMatching(/^0x/)],
  ['breaks off', () => Promise.reject(new TypeError()), false, expect.stringMatching(/^0x/)],
] as const)('an order whose service %s is retryable only if it can’t have been placed', async (_, answer, retryable, vaultOrderId) => {
  vi.stubGlobal('fetch', async (_url: URL, { method }: RequestInit) =>
    method === 'POST' ? answer() : Response.json({ publicKey: account.publicKey }),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const sign = (message: string) => account.signMessage({ message })
  const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:9' })
  const failure = await orders.createOrder(order, sign).catch((error: unknown) => error)
  const { details, ...rest } = failure as RelayerError
  expect([rest.retryable, details.vaultOrderId]).toEqual([retryable, vaultOrderId])
})

test('a browser’s wallet that changes its chain during the simulation sends nothing', async () => {
  let current = 84532
  const asked: string[] = []
  const request = async ({ method }: { method: string }) => {
    asked.push(method)
    if (method === 'eth_chainId') return toHex(current)
    throw new Error(`${method} was not expected`)
  }
  const wallet = createWalletClient({ account: ADDRESS, transport: custom({ request }) })
  const call = async () => {
    current = 1
    return {}
  }
  const source = { name: 'base_sepolia', chainId: 84532 }
  const sending = { wallet, client: { call }, account: wallet.account, source } as never
  const failure = await failureOf(sending, { isPayment: true })
  expect(failure).toMatchObject({ code: 'WRONG_CHAIN', retryable: false })
  expect(asked.filter((method) => /send/i.test(method))).toEqual([])
})
