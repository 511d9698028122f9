import { createWalletClient, custom, numberToHex, parseGwei, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { sendTransaction } from '../../../sdk/client/sendTransaction.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const BRIDGE = `0x${'b1'.repeat(20)}` as const

/** Sends with a key, to a node that asks for this tip, or on a chain without tips for this price. */
async function sendAt(
  gwei: number,
  { isLegacy = false, maxFeeGwei = undefined as number | undefined } = {},
) {
  const price = numberToHex(parseGwei(String(gwei)))
  const sent: bigint[] = []
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
    const [raw] = params as [`0x${string}`]
    const { maxFeePerGas, gasPrice } = parseTransaction(raw)
    sent.push((maxFeePerGas ?? gasPrice)!)
    return `0x${'77'.repeat(32)}`
  }
  const client = {
    call: async () => ({}),
    waitForTransactionReceipt: async () => ({ status: 'success' }),
  } as never
  const wallet = createWalletClient({ account, transport: custom({ request }, { retryCount: 0 }) })
  const source = { name: 'base_sepolia', chainId: 84532, maxFeeGwei }
  const outcome = await sendTransaction({ wallet, client, account, source }, BRIDGE, '0x', {
    isPayment: true,
  }).then(
    () => 'sent',
    ({ code, message }) => ({ code, message }),
  )
  return { outcome, sent: sent.length }
}

test('a node can’t have a key spend all its coins on a tip', async () => {
  const message = expect.stringContaining('chains[].maxFeeGwei')
  const refused = { outcome: { code: 'GAS_TOO_DEAR', message }, sent: 0 }
  for (const isLegacy of [false, true]) {
    expect(await sendAt(5_000_000, { isLegacy })).toEqual(refused)
    expect(await sendAt(1, { isLegacy })).toEqual({ outcome: 'sent', sent: 1 })
  }
  expect(await sendAt(50)).toEqual(refused)
  expect(await sendAt(50, { maxFeeGwei: 60 })).toEqual({ outcome: 'sent', sent: 1 })
  expect(await sendAt(1, { maxFeeGwei: 0.5 })).toEqual(refused)
})
