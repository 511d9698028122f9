import { describe, expect, test } from 'vitest'
import {
  findDeliveryConfirmations,
  findDepositConfirmations,
} from '../../../core/settlement/requiredConfirmations.ts'

const ADDRESS = '0x00000000000000000000000000000000000000aA'
const TOKEN = ADDRESS.toLowerCase()
const OTHER = `0x${'bb'.repeat(20)}`
const confirmations = [
  { from: '1000', blocks: 20 },
  { from: '100', blocks: 10 },
]
const CHAIN = { confirmations: 3, tokens: { X: { address: ADDRESS, confirmations } } }

describe('confirmations rise with the amount, by the table of the token', () => {
  const deliveryOf = (winningAmountB: bigint | null, tokenB = TOKEN, chain: object = CHAIN) =>
    findDeliveryConfirmations(chain as typeof CHAIN, { tokenB, winningAmountB })

  test('of a delivery by what the winner owes', () => {
    expect([99n, 100n, 999n, 1_000n].map((amount) => deliveryOf(amount))).toEqual([3, 10, 10, 20])
    expect(deliveryOf(1_000n, OTHER)).toBe(3)
    expect(deliveryOf(1_000n, TOKEN, { confirmations: 3 })).toBe(3)
    expect(deliveryOf(null)).toBe(3)
  })

  test('of a deposit by the escrow, in which the reward is', () => {
    const of = (amountA: bigint, reward: bigint, tokenA = TOKEN) =>
      findDepositConfirmations(CHAIN, { tokenA, amountA, reward })
    expect([of(99n, 0n), of(99n, 1n), of(990n, 9n), of(990n, 10n)]).toEqual([3, 10, 10, 20])
    expect(of(1_000n, 1_000n, OTHER)).toBe(3)
  })
})
