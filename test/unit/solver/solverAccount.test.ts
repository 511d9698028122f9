import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import {
  createSolverAccount,
  type MacCall,
} from '../../../services/solver/account/solverAccount.ts'

const account = createSolverAccount(`0x${'11'.repeat(32)}`)
const call: MacCall = {
  kind: 'bid',
  chainId: 84_532,
  effect: '84532:1:5',
  value: 0n,
  to: `0x${'ab'.repeat(20)}`,
  data: '0xabcd',
}
const fees = { nonce: 3, gas: 50_000n, maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }

async function isSigned(
  changed: Partial<Transaction> = {},
  mac: string | null = account.macOf(call),
) {
  const row = { ...call, mac, ...changed } as Transaction
  const { chainId, to, data, value } = row
  return account.signTransaction({ chainId, to, data, value, ...fees }, row).then(
    () => true,
    (error) => {
      expect(error.code).toBe('TRANSACTION_NOT_AUTHENTIC')
      return false
    },
  )
}

describe('a solver’s account signs', () => {
  it('calls with its MAC, in any letter case', async () => {
    expect(await isSigned()).toBe(true)
    expect(await isSigned({ to: getAddress(call.to), data: '0xABcd' })).toBe(true)
  })

  it('no call without a MAC or with another account’s', async () => {
    expect(await isSigned({}, null)).toBe(false)
    expect(await isSigned({}, '')).toBe(false)
    expect(await isSigned({}, createSolverAccount(`0x${'22'.repeat(32)}`).macOf(call))).toBe(false)
  })

  it.each<Partial<Transaction>>([
    { kind: 'deliver' },
    { chainId: 1 },
    { effect: '84532:1:6' },
    { to: `0x${'cd'.repeat(20)}` },
    { data: '0xabce' },
    { value: 1n },
  ])('no call with %o changed', async (changed) => {
    expect(await isSigned(changed)).toBe(false)
  })

  it('without a MAC only an empty transfer to itself', async () => {
    const nothing = { to: account.address, data: '0x', value: 0n } as const
    expect(await isSigned(nothing, null)).toBe(true)
    expect(await isSigned({ ...nothing, value: 1n }, null)).toBe(false)
    expect(await isSigned({ ...nothing, data: '0x00' }, null)).toBe(false)
  })
})
