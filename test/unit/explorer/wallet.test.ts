import { UserRejectedRequestError } from 'viem'
import { expect, test } from 'vitest'
import { describeWalletError } from '../../../api/explorer/browser/wallet/describeWalletError.ts'
import { formatTokenAmount } from '../../../api/explorer/browser/wallet/formatTokenAmount.ts'
import {
  chainReader,
  sendFromWallet,
  switchWalletTo,
} from '../../../api/explorer/browser/wallet/walletProvider.ts'
import { CairnError } from '../../../sdk/index.ts'

const TOKENS = [
  {
    chainId: 84532,
    address: '0x00000000000000000000000000000000000000AA',
    symbol: 'USDC',
    decimals: 6,
  },
]
const TOKEN = '0x00000000000000000000000000000000000000aa'

test('an amount has the name that somebody vouches for on that chain, or none', () => {
  const amount = 1_500_000n
  expect(formatTokenAmount(TOKENS, { chainId: 84532, token: TOKEN, amount })).toBe('1.50 USDC')
  const bare = '1500000 base units of 0x0000…00aa'
  expect(formatTokenAmount(TOKENS, { chainId: 1, token: TOKEN, amount })).toBe(bare)
})

test('a refusal is named however deeply it is nested, an error by its first line and code', () => {
  const refused = new UserRejectedRequestError(new Error('no'))
  const words = 'You declined it in your wallet. Nothing was sent.'
  expect(describeWalletError(refused)).toBe(words)
  expect(describeWalletError(new Error('wrapped', { cause: { code: 4001 } }))).toBe(words)
  const busy = new CairnError('SAFE_BUSY', 'the Safe is busy\nrequest: secret')
  expect(describeWalletError(busy)).toBe('The Safe is busy. (SAFE_BUSY)')
  expect(describeWalletError('gone')).toBe('Gone.')
})

test('a chain is read only while the wallet is on it', async () => {
  let current = '0x14a34'
  const asked: string[] = []
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    asked.push(method)
    if (method === 'wallet_switchEthereumChain')
      current = (params as [{ chainId: string }])[0].chainId
    return method === 'eth_chainId' ? current : '0x7'
  }
  const reader = chainReader({ request }, 84532)
  expect(await reader.getBlockNumber()).toBe(7n)
  current = '0x1'
  const elsewhere = await reader.getBalance({ address: TOKEN }).catch((error: unknown) => error)
  expect(describeWalletError(elsewhere)).toBe('Your wallet is on chain 1: switch it to 84532.')
  expect(asked).not.toContain('eth_getBalance')
  await switchWalletTo({ request }, 84532)
  await switchWalletTo({ request }, 84532)
  expect(asked.filter((method) => method === 'wallet_switchEthereumChain')).toHaveLength(1)
  expect(await reader.getBalance({ address: TOKEN })).toBe(7n)
})

test('a wallet is asked to send on one chain only, and not at all while it is on another', async () => {
  let current = '0x14a34'
  const sent: unknown[] = []
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    if (method === 'eth_sendTransaction') sent.push(params)
    return method === 'eth_chainId' ? current : '0x77'
  }
  const call = { from: TOKEN, to: TOKEN, data: '0x01' } as const
  expect(await sendFromWallet({ request }, 84532, call)).toBe('0x77')
  current = '0x1'
  await expect(sendFromWallet({ request }, 84532, call)).rejects.toThrow('on chain 1')
  expect(sent).toEqual([[{ ...call, chainId: '0x14a34' }]])
})
