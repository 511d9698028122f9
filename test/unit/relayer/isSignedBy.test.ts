import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { type AccountChain, isSignedBy } from '../../../api/http/auth/isSignedBy.ts'

const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
const stranger = `0x${'ab'.repeat(20)}` as Hex
const message = 'INTENT_PRIVATE:1:84532:1790000000'
const undeployed =
  `0x${'00'.repeat(96)}6492649264926492649264926492649264926492649264926492649264926492` as Hex

/** A chain on which every contract approves of everything, and which counts what it has to run. */
function chainWith(code: Hex) {
  const asked = { code: 0, calls: 0 }
  const chain = {
    getCode: async () => {
      asked.code += 1
      return code
    },
    verifyMessage: async () => {
      asked.calls += 1
      return true
    },
  } as unknown as AccountChain
  return { chain, asked }
}

describe('a signed message', () => {
  test('by the account’s key asks no chain', async () => {
    const { chain, asked } = chainWith('0x')
    const signature = await account.signMessage({ message })
    expect(await isSignedBy({ message, signature, address: account.address }, chain)).toBe(true)
    expect(asked).toEqual({ code: 0, calls: 0 })
  })

  test('by another key is not signed, and runs nothing', async () => {
    const { chain, asked } = chainWith('0x')
    const signature = await account.signMessage({ message })
    expect(await isSignedBy({ message, signature, address: stranger }, chain)).toBe(false)
    expect(asked.calls).toBe(0)
  })

  test('of a deployed contract is the contract’s to judge', async () => {
    const { chain } = chainWith('0x60')
    expect(await isSignedBy({ message, signature: '0x1234', address: stranger }, chain)).toBe(true)
    expect(await isSignedBy({ message, signature: '0x1234', address: stranger }, null)).toBe(false)
  })

  test('of an account not deployed yet makes a node run calls only where somebody named the account', async () => {
    const { chain, asked } = chainWith('0x')
    const signed = { message, signature: undeployed, address: stranger }
    expect(await isSignedBy(signed, chain)).toBe(false)
    expect(asked.calls).toBe(0)
    expect(await isSignedBy(signed, chain, { mayBeUndeployed: true })).toBe(true)
  })
})
