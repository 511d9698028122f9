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
import {
  choosePriorityFees,
  priorityFeesFrom,
} from '../../../services/chain/transactions/priorityFees.ts'

const wei = fc.bigInt({ min: 0n, max: 10n ** 13n })
const market = fc.record({
  baseFeePerGas: wei,
  priorityFees: fc.record({ usual: wei, passedOver: wei }),
})

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
        if (cap >= 2n * now.baseFeePerGas + now.priorityFees.usual)
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
      { examples: [[{ baseFeePerGas: 0n, priorityFees: { usual: 0n, passedOver: 0n } }, 1n]] },
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

describe('the priority fee', () => {
  const report = fc.record({ named: wei, paid: fc.option(wei, { nil: null }) })

  it('lies between what honest providers recommend, as long as they are the majority', () => {
    fc.assert(
      fc.property(
        fc.array(report, { minLength: 2, maxLength: 5 }),
        fc.array(report),
        (honest, all) => {
          const liars = all.slice(0, honest.length - 1)
          const said = honest.map(({ named }) => ({ named, paid: null }))
          const { usual, passedOver } = choosePriorityFees([...liars, ...said])
          for (const fee of [usual, passedOver]) {
            expect(said.some(({ named }) => named >= fee)).toBe(true)
            expect(said.some(({ named }) => named <= fee)).toBe(true)
          }
        },
      ),
    )
  })

  it('of a first version can’t be invented by one provider of two, or against its own blocks', () => {
    const [honest, high, free] = [1_000n, 10n ** 12n, 0n].map((named) => ({ named, paid: null }))
    expect(choosePriorityFees([high!, honest!]).usual).toBe(1_000n)
    expect(choosePriorityFees([{ named: 10n ** 12n, paid: 2_000n }]).usual).toBe(2_000n)
    // A recommendation that is too low is followed once: then blocks have passed a version over.
    expect(choosePriorityFees([free!, honest!]).passedOver).toBe(1_000n)
  })

  it.each([
    '-5',
    '-0x5',
    '5',
    '',
    '0x',
    null,
    7,
  ])('is heard only as a quantity, not as %j', async (said) => {
    const node = (named: unknown, reward: unknown) => ({
      request: async ({ method }: { method: string }) =>
        method === 'eth_maxPriorityFeePerGas' ? named : { reward: [[reward]] },
    })
    const feesOf = (...nodes: ReturnType<typeof node>[]) =>
      priorityFeesFrom(nodes as unknown as Parameters<typeof priorityFeesFrom>[0])()
    const honest = node('0x77359400', '0xb2d05e00')
    const fees = { usual: 2_000_000_000n, passedOver: 2_000_000_000n }
    expect(await feesOf(node(said, '0x1'), honest)).toEqual(fees)
    // What its blocks paid is unknown then, and bounds nothing.
    expect(await feesOf(node('0x77359400', said))).toEqual(fees)
  })
})

/** An eighth more, rounded up, and always more. */
function raised(fee: bigint): bigint {
  return (fee * 9n + 7n) / 8n + 1n
}
