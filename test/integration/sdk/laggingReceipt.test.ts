import { createPublicClient, createTestClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import type { SendingWallet } from '../../../sdk/client/requireWallet.ts'
import { sendTransaction } from '../../../sdk/client/sendTransaction.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

let node: RunningAnvil
let balanced: FaultyRpc

beforeAll(async () => {
  node = await startAnvil({ chainId: 84_532, blockTime: 0 })
  balanced = await startFaultyRpc(node.rpc)
})
afterAll(async () => {
  await balanced?.close()
  await node?.stop()
})

test('a payment is seen although, behind a load balancer, one node has its block and another no receipt yet', async () => {
  const account = privateKeyToAccount(`0x${'51'.repeat(32)}`)
  const chain = createTestClient({ mode: 'anvil', transport: http(node.rpc) })
  await chain.setBalance({ address: account.address, value: 10n ** 18n })
  const transport = http(balanced.url)
  const client = createPublicClient({ transport, pollingInterval: 20 })
  const wallet = createWalletClient({ account, transport })
  const source = { name: 'base_sepolia', chainId: 84_532, maxFeeGwei: 100 }
  const sending = { wallet, client, account, source } as never as SendingWallet
  let missing = 5
  balanced.inject(({ method }) =>
    method === 'eth_getTransactionReceipt' && --missing >= 0 ? { result: null } : undefined,
  )
  const receipt = await sendTransaction(sending, `0x${'b1'.repeat(20)}`, '0x', { isPayment: true })
  expect(receipt.status).toBe('success')
  expect(missing).toBeLessThan(0)
  expect(balanced.count('eth_sendRawTransaction')).toBe(1)
})
