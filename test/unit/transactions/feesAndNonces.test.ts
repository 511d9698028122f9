import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseNonce } from '../../../services/chain/transactions/chooseNonce.ts'
import {
  bumpedFees,
  CANCELLATION_GAS,
  cancellationCap,
  doubledFees,
  type Fees,
  firstFees,
} from '../../../services/chain/transactions/fees.ts'

const wei = fc.bigInt({ min: 0n, max: 10n ** 13n })
const market = fc.record({ baseFeePerGas: wei, priorityFee: wei })

describe('the next nonce', () => {
  it('is free, not behind the chain, and the lowest such', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.array(fc.nat(1_100)), (next, held) => {
        const nonce = chooseNonce(next, held)
        expect(nonce).toBeGreaterThanOrEqual(next)
        expect(held).not.toContain(nonce)
        for (let lower = next; lower < nonce; lower++) expect(held).toContain(lower)
      }),
    )
  })
})

describe('fees', () => {
  it('begin above the base fee, where the cap allows it, and never above the cap', () => {
    fc.assert(
      fc.property(market, wei, (now, cap) => {
        const fees = firstFees(now, cap)
        expect(fees.maxFeePerGas).toBeLessThanOrEqual(cap)
        expect(fees.maxPriorityFeePerGas).toBeLessThanOrEqual(fees.maxFeePerGas)
        if (cap >= 2n * now.baseFeePerGas + now.priorityFee)
          expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(now.baseFeePerGas)
      }),
    )
  })

  it('of a replacement are at least 12.5 % more in both, or there is none', () => {
    fc.assert(
      fc.property(market, market, wei, (before, now, cap) => {
        const first = firstFees(before, cap)
        const next = bumpedFees(first, now, cap)
        if (next === null) {
          expect(raised(first.maxFeePerGas)).toBeGreaterThan(cap)
          return
        }
        expect(next.maxFeePerGas).toBeLessThanOrEqual(cap)
        expect(next.maxFeePerGas).toBeGreaterThanOrEqual(raised(first.maxFeePerGas))
        expect(next.maxPriorityFeePerGas).toBeGreaterThanOrEqual(raised(first.maxPriorityFeePerGas))
      }),
    )
  })

  it('that are doubled exceed any other that the cap allows, both of them', () => {
    fc.assert(
      fc.property(market, wei, (now, cap) => {
        let fees = firstFees(now, cap)
        for (let round = 0; ; round++) {
          expect(round).toBeLessThan(100)
          const next = doubledFees(fees, now, cap)
          if (next === null) break
          expect(next.maxFeePerGas).toBeLessThanOrEqual(cap)
          fees = next
        }
        expect(fees).toEqual({ maxFeePerGas: cap, maxPriorityFeePerGas: cap })
      }),
      // A chain that asks for nothing.
      { examples: [[{ baseFeePerGas: 0n, priorityFee: 0n }, 1n]] },
    )
  })

  it('of a cancellation cost no more in all than the call at its cap', () => {
    fc.assert(
      fc.property(wei, fc.bigInt({ min: CANCELLATION_GAS, max: 16_000_000n }), (cap, callGas) => {
        const most = cancellationCap(cap, callGas)
        expect(most).toBeGreaterThanOrEqual(cap)
        expect(most * CANCELLATION_GAS).toBeLessThanOrEqual(cap * callGas)
      }),
    )
  })

  it('come to an end at the cap', () => {
    fc.assert(
      fc.property(market, wei, (now, cap) => {
        let fees: Fees | null = firstFees(now, cap)
        for (let round = 0; fees !== null; round++) {
          expect(round).toBeLessThan(300)
          fees = bumpedFees(fees, now, cap)
        }
      }),
    )
  })
})

/** An eighth more, rounded up, and always more. */
function raised(fee: bigint): bigint {
  return (fee * 9n + 7n) / 8n + 1n
}
