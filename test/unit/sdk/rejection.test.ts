import { createWalletClient, custom } from 'viem'
import { expect, test } from 'vitest'
import type { SendingWallet } from '../../../sdk/client/requireWallet.ts'
import { sendTransaction } from '../../../sdk/client/sendTransaction.ts'

const [OWN, BRIDGE] = [`0x${'a1'.repeat(20)}`, `0x${'b1'.repeat(20)}`] as const

/** A wallet that refuses `eth_sendTransaction` with this code, and whose owner rejects viem's second question. */
function refusing(code: number): SendingWallet {
  const request = async ({ method }: { method: string }) => {
    if (method === 'eth_chainId') return '0x14a34'
    throw Object.assign(new Error('no'), { code: method === 'eth_sendTransaction' ? code : 4001 })
  }
  const transport = custom({ request }, { retryCount: 0 })
  const wallet = createWalletClient({ account: OWN, transport })
  const source = { name: 'base_sepolia', chainId: 84532 }
  return { wallet, account: wallet.account, client: { call: async () => ({}) } as never, source }
}

test.each([
  ['isn’t pending if the wallet doesn’t know the first method', -32601, true],
  ['isn’t pending if the wallet doesn’t support the first method', -32004, true],
  ['may be pending if the wallet failed before', -32000, false],
  ['may be pending if nobody rejected it, and the wallet failed', -32603, false],
])('what a wallet refuses %s', async (_, code, isRejected) => {
  let wasRejected = false
  const onRejected = async () => {
    wasRejected = true
  }
  await expect(sendTransaction(refusing(code), BRIDGE, '0x', { onRejected })).rejects.toThrow()
  expect(wasRejected).toBe(isRejected)
})
