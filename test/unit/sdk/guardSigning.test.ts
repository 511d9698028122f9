import {
  createWalletClient,
  custom,
  type Hex,
  HttpRequestError,
  keccak256,
  numberToHex,
  parseGwei,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { sendTransaction } from '../../../sdk/client/sendTransaction.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const BRIDGE = `0x${'b1'.repeat(20)}` as const
const FALSE_HASH = `0x${'77'.repeat(32)}` as const

type Node = {
  /** The tip it asks for or, on a chain without tips, the price. */
  gwei?: number
  isLegacy?: boolean
  maxFeeGwei?: number
  /** Its answer to a transaction. */
  answer?: () => Hex
}

/** Sends a local account's payment through this node, and waits for it at another one. */
async function send({ gwei = 1, isLegacy, maxFeeGwei, answer = () => FALSE_HASH }: Node) {
  const price = numberToHex(parseGwei(String(gwei)))
  const [sent, awaited]: [Hex[], Hex[]] = [[], []]
  const answers: Record<string, unknown> = {
    eth_chainId: '0x14a34',
    eth_getTransactionCount: '0x7',
    eth_estimateGas: '0x30000',
    eth_getBlockByNumber: { number: '0x1', ...(!isLegacy && { baseFeePerGas: '0x1' }) },
    eth_maxPriorityFeePerGas: price,
    eth_gasPrice: price,
  }
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    if (method !== 'eth_sendRawTransaction') return answers[method]
    sent.push(keccak256((params as [Hex])[0]))
    return answer()
  }
  const client = {
    call: async () => ({}),
    waitForTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      awaited.push(hash)
      return { status: 'success' }
    },
  } as never
  const wallet = createWalletClient({ account, transport: custom({ request }, { retryCount: 0 }) })
  const source = { name: 'base_sepolia', chainId: 84532, maxFeeGwei }
  const sending = { wallet, client, account, source }
  const outcome = await sendTransaction(sending, BRIDGE, '0x', { isPayment: true }).then(
    () => 'sent',
    (error: unknown) => error,
  )
  return { outcome, sent, awaited }
}

test('a lying node can’t make a local account spend all its coins on a tip', async () => {
  const message = expect.stringContaining('chains[].maxFeeGwei')
  const refused = { outcome: { code: 'GAS_TOO_DEAR', message }, sent: [] }
  for (const isLegacy of [false, true]) {
    expect(await send({ gwei: 5_000_000, isLegacy })).toMatchObject(refused)
    expect(await send({ gwei: 1, isLegacy })).toMatchObject({ outcome: 'sent' })
  }
  expect(await send({ gwei: 50 })).toMatchObject(refused)
  expect(await send({ gwei: 50, maxFeeGwei: 60 })).toMatchObject({ outcome: 'sent' })
  expect(await send({ gwei: 1, maxFeeGwei: 0.5 })).toMatchObject(refused)
})

test('a false hash from a node doesn’t make a sender pay again', async () => {
  const { outcome, sent, awaited } = await send({})
  expect(outcome).toBe('sent')
  expect(sent).toHaveLength(1)
  expect(awaited).toEqual(sent)
})

test('a local account’s payment is named by its hash even if the node’s answer is lost', async () => {
  const { outcome, sent } = await send({
    answer: () => {
      throw new HttpRequestError({ url: 'http://node', body: { method: 'eth_sendRawTransaction' } })
    },
  })
  expect(outcome).toMatchObject({ code: 'RPC_UNREACHABLE', retryable: false })
  expect(outcome).toMatchObject({ details: { txHash: sent[0] } })
})
