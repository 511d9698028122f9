import { type Hex, HttpRequestError, RpcRequestError, TransactionReceiptNotFoundError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { approveToken } from '../../../sdk/client/approveToken.ts'
import { countSent } from '../../../sdk/client/countSent.ts'
import type { SendingWallet } from '../../../sdk/client/requireWallet.ts'
import { sendTransaction } from '../../../sdk/client/sendTransaction.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const TOKEN = `0x${'a1'.repeat(20)}` as const
const BRIDGE = `0x${'b1'.repeat(20)}` as const

/**
 * A wallet of a key with nonce 7 whose chain is behind a load balancer: the node that is asked has the approval only after so
 * many simulations.
 */
function balancedWallet(simulationsBehind: number, type = 'local') {
  const sent: { to: Hex; nonce: number | undefined }[] = []
  let simulations = 0
  const client = {
    pollingInterval: 4_000,
    readContract: async ({ functionName }: { functionName: string }) =>
      functionName === 'allowance' ? 0n : 100n,
    call: async ({ to }: { to: Hex }) => {
      if (to === BRIDGE && ++simulations <= simulationsBehind) throw allowanceTooLow()
      return {}
    },
    // It lacks two transactions that the wallet's own node keeps to itself until they are mined.
    request: async () => '0x5',
    waitForTransactionReceipt: async () => ({ status: 'success' }),
  }
  const wallet = {
    getChainId: async () => 84532,
    request: async () => '0x7',
    sendTransaction: async ({ to, nonce }: { to: Hex; nonce?: number }) => {
      sent.push({ to, nonce })
      return `0x${'77'.repeat(32)}`
    },
  }
  const source = { name: 'base_sepolia', chainId: 84532 }
  const own = { ...account, type }
  return { sent, sending: { wallet, client, account: own, source } as never as SendingWallet }
}

function allowanceTooLow(): Error {
  const error = { code: 3, message: 'execution reverted', data: '0x13be252b' }
  return new RpcRequestError({ body: {}, url: 'http://node', error })
}

/** Resolves with the error, or null, once twenty seconds have passed. */
async function approveAndPay({ sending }: { sending: SendingWallet }): Promise<unknown> {
  const paying = approveToken(sending, { token: TOKEN, bridge: BRIDGE }, 100n)
    .then(() => sendTransaction(sending, BRIDGE, '0x', { isPayment: true }))
    .then(
      () => null,
      (error: unknown) => error,
    )
  await vi.advanceTimersByTimeAsync(20_000)
  return paying
}

test('a payment follows its approval although the next node doesn’t have that yet', async () => {
  const balanced = balancedWallet(3)
  expect(await approveAndPay(balanced)).toBe(null)
  expect(balanced.sent).toEqual([
    { to: TOKEN, nonce: 7 },
    { to: BRIDGE, nonce: 8 },
  ])
  expect(await countSent(balanced.sending), 'as for the next part of a batch').toBe(9)
})

test('a wallet that chooses its own nonces gets none', async () => {
  const balanced = balancedWallet(3, 'json-rpc')
  expect(await approveAndPay(balanced)).toBe(null)
  expect(balanced.sent.map(({ nonce }) => nonce)).toEqual([undefined, undefined])
})

test('a payment that still reverts after a while is an error, and without an approval at once', async () => {
  const balanced = balancedWallet(Number.POSITIVE_INFINITY)
  const failure = { code: 'CONTRACT_REVERTED' }
  const { sending, sent } = balanced
  await expect(sendTransaction(sending, BRIDGE, '0x')).rejects.toMatchObject(failure)
  expect(await approveAndPay(balanced)).toMatchObject(failure)
  expect(sent.map(({ to }) => to)).toEqual([TOKEN])
})

test('a clock that is set back after the approval prolongs no retries of a payment that reverts', async () => {
  const { sending } = balancedWallet(Number.POSITIVE_INFINITY)
  await approveToken(sending, { token: TOKEN, bridge: BRIDGE }, 100n)
  const failing = expect(sendTransaction(sending, BRIDGE, '0x')).rejects.toMatchObject({
    code: 'CONTRACT_REVERTED',
  })
  vi.setSystemTime(Date.now() - 3_600_000)
  await vi.advanceTimersByTimeAsync(20_000)
  await failing
})

test('a payment that a wallet may have queued is not sent again, even if it reports a revert', async () => {
  const { sending, sent } = balancedWallet(0, 'json-rpc')
  const { wallet } = sending
  const send = wallet.sendTransaction as (transaction: { to: Hex }) => Promise<Hex>
  const sendTransaction = async (transaction: { to: Hex }) => {
    const hash = await send(transaction)
    if (transaction.to === BRIDGE) throw allowanceTooLow()
    return hash
  }
  Object.assign(wallet, { sendTransaction })
  expect(await approveAndPay({ sending })).toMatchObject({ code: 'CONTRACT_REVERTED' })
  expect(sent.map(({ to }) => to)).toEqual([TOKEN, BRIDGE])
})

test('a payment that may have been sent is not sent again, however soon after its approval', async () => {
  const reverted = balancedWallet(0)
  const receipt = async () => ({ status: reverted.sent.length > 1 ? 'reverted' : 'success' })
  Object.assign(reverted.sending.client, { waitForTransactionReceipt: receipt })
  const failure = { code: 'CONTRACT_REVERTED', details: { txHash: expect.any(String) } }
  expect(await approveAndPay(reverted)).toMatchObject(failure)
  const cutOff = balancedWallet(0)
  const { wallet } = cutOff.sending
  const send = wallet.sendTransaction as (transaction: { to: Hex }) => Promise<Hex>
  const sendTransaction = async (transaction: { to: Hex }) => {
    const hash = await send(transaction)
    if (transaction.to === BRIDGE) throw new HttpRequestError({ url: 'http://node' })
    return hash
  }
  Object.assign(wallet, { sendTransaction })
  expect(await approveAndPay(cutOff)).toMatchObject({ code: 'RPC_UNREACHABLE', retryable: false })
  for (const { sent } of [reverted, cutOff])
    expect(sent.map(({ to }) => to)).toEqual([TOKEN, BRIDGE])
})

const hash = `0x${'77'.repeat(32)}` as const

test('a payment whose receipt nodes don’t show for long may be mined, so it isn’t to be repeated', async () => {
  const { sending, sent } = balancedWallet(0)
  let waits = 0
  const waitForTransactionReceipt = async () => {
    waits += 1
    if (sent.length > 1) throw new TransactionReceiptNotFoundError({ hash })
    return { status: 'success' }
  }
  Object.assign(sending.client, { waitForTransactionReceipt })
  const failure = { code: 'RPC_UNREACHABLE', retryable: false, details: { txHash: hash } }
  expect(await approveAndPay({ sending })).toMatchObject(failure)
  // The approval's, then one every three seconds for fifteen.
  expect(waits).toBe(1 + 6)
})
