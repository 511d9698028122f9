import { decodeFunctionData, erc20Abi, getAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { approveToken } from '../../../sdk/client/approveToken.ts'
import type { SendingWallet } from '../../../sdk/client/requireWallet.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const token = `0x${'a1'.repeat(20)}` as const
const bridge = getAddress(`0x${'b1'.repeat(20)}`)

/** The amounts that are approved, one after another, for a payment of 100. */
async function approvals(allowance: bigint, balance = 100n): Promise<bigint[]> {
  const amounts: bigint[] = []
  const client = {
    readContract: async ({ functionName, args }: { functionName: string; args: Hex[] }) => {
      const isAsked =
        functionName === 'allowance' && args[0] === account.address && args[1] === bridge
      return isAsked ? allowance : balance
    },
    call: async () => ({}),
    request: async () => '0x0',
    waitForTransactionReceipt: async () => ({ status: 'success' }),
  }
  const wallet = {
    getChainId: async () => 84532,
    request: async () => '0x0',
    sendTransaction: async ({ to, data }: { to: Hex; data: Hex }) => {
      const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
      expect([to, functionName, args?.[0]]).toEqual([token, 'approve', bridge])
      amounts.push(args?.[1] as bigint)
      return `0x${'77'.repeat(32)}`
    },
  }
  const source = { name: 'base_sepolia', chainId: 84532 }
  const sending = { wallet, client, account, source } as never as SendingWallet
  await approveToken(sending, { token, bridge }, 100n)
  return amounts
}

describe('the bridge is approved', () => {
  test('exactly what a payment needs', async () => {
    expect(await approvals(0n)).toEqual([100n])
  })

  test('not again where it may take as much already', async () => {
    expect(await approvals(100n)).toEqual([])
  })

  test('after an older approval is revoked, which some tokens require', async () => {
    expect(await approvals(1n)).toEqual([0n, 100n])
  })

  test('nothing that the account doesn’t hold', async () => {
    await expect(approvals(0n, 99n)).rejects.toMatchObject({
      code: 'CONTRACT_REVERTED',
      details: { errorName: 'InsufficientBalance', args: [99n, 100n] },
    })
  })
})
