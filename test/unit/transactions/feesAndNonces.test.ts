import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  choosePriorityFees,
  createPriorityFeeReader,
} from '../../../services/chain/transactions/priorityFees.ts'
import { chooseNonce } from '../../../services/chain/transactions/signRequested.ts'
import {
  bumpFees,
  CANCELLATION_GAS,
  calculateCancellationCap,
  calculateFirstFees,
  doubleFees,
  type Fees,
} from '../../../services/chain/transactions/transactionFees.ts'

const wei = fc.bigInt({ min: 0n, max: 10n ** 13n })
const market = fc.record({
  baseFeePerGas: wei,
  priorityFees: fc.record({ standard: wei, replacement: wei }),
})

describe('chooseNonce', () => {
  it('returns the lowest free nonce that the chain still accepts', () => {
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
  it('of a first version are above the base fee if the cap allows it, and never above the cap', () => {
    fc.assert(
      fc.property(market, wei, (now, cap) => {
        const fees = calculateFirstFees(now, cap)
        expect(fees.maxFeePerGas).toBeLessThanOrEqual(cap)
        expect(fees.maxPriorityFeePerGas).toBeLessThanOrEqual(fees.maxFeePerGas)
        if (cap >= 2n * now.baseFeePerGas + now.priorityFees.standard)
          expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(now.baseFeePerGas)
      }),
    )
  })

  it('of a replacement are both higher by at least 12.5 %, or there is none', () => {
    fc.assert(
      fc.property(market, market, wei, (before, now, cap) => {
        const first = calculateFirstFees(before, cap)
        const next = bumpFees(first, now, cap)
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

  it('of a replacement and that are doubled follow a market that has risen, up to the cap', () => {
    const previous = { maxFeePerGas: 202n, maxPriorityFeePerGas: 2n }
    const prices = { standard: 2n, replacement: 300n }
    const now = { baseFeePerGas: 1_000n, highestBaseFee: 5_000n, priorityFees: prices }
    const bumped = { maxFeePerGas: 10_300n, maxPriorityFeePerGas: 300n }
    expect(bumpFees(previous, now, 10_300n)).toEqual(bumped)
    expect(bumpFees(previous, now, 9_000n)).toEqual({ ...bumped, maxFeePerGas: 9_000n })
    const doubled = { maxFeePerGas: 2_002n, maxPriorityFeePerGas: 5n }
    expect(doubleFees(previous, now, 10_300n)).toEqual(doubled)
  })

  it('that are doubled both exceed any that the cap allows in the end', () => {
    fc.assert(
      fc.property(market, wei, (now, cap) => {
        let fees = calculateFirstFees(now, cap)
        for (let round = 0; ; round++) {
          expect(round).toBeLessThan(100)
          const next = doubleFees(fees, now, cap)
          if (next === null) break
          expect(next.maxFeePerGas).toBeLessThanOrEqual(cap)
          fees = next
        }
        expect(fees).toEqual({ maxFeePerGas: cap, maxPriorityFeePerGas: cap })
      }),
      // A chain that asks for nothing.
      { examples: [[{ baseFeePerGas: 0n, priorityFees: { standard: 0n, replacement: 0n } }, 1n]] },
    )
  })

  it('of a cancellation cost no more in total than the call at its cap', () => {
    fc.assert(
      fc.property(wei, fc.bigInt({ min: CANCELLATION_GAS, max: 16_000_000n }), (cap, callGas) => {
        const most = calculateCancellationCap(cap, callGas)
        expect(most).toBeGreaterThanOrEqual(cap)
        expect(most * CANCELLATION_GAS).toBeLessThanOrEqual(cap * callGas)
      }),
    )
  })

  it('stop rising at the cap', () => {
    fc.assert(
      fc.property(market, wei, (now, cap) => {
        let fees: Fees | null = calculateFirstFees(now, cap)
        for (let round = 0; fees !== null; round++) {
          expect(round).toBeLessThan(300)
          fees = bumpFees(fees, now, cap)
        }
      }),
    )
  })
})

describe('the priority fee', () => {
  const report = fc.record({ suggested: wei, paid: fc.option(wei, { nil: null }) })

  it('lies within the recommendations of an honest majority', () => {
    fc.assert(
      fc.property(
        fc.array(report, { minLength: 2, maxLength: 5 }),
        fc.array(report),
        (honest, all) => {
          const liars = all.slice(0, honest.length - 1)
          const reports = honest.map(({ suggested }) => ({ suggested, paid: null }))
          const { standard, replacement } = choosePriorityFees([...liars, ...reports])
          for (const fee of [standard, replacement]) {
            expect(reports.some(({ suggested }) => suggested >= fee)).toBe(true)
            expect(reports.some(({ suggested }) => suggested <= fee)).toBe(true)
          }
        },
      ),
    )
  })

  it('of a first version can’t be inflated by one of two providers, or above what its own blocks paid', () => {
    const [honest, high, free] = [1_000n, 10n ** 12n, 0n].map((suggested) => {
      return { suggested, paid: null }
    })
    expect(choosePriorityFees([high!, honest!]).standard).toBe(1_000n)
    expect(choosePriorityFees([{ suggested: 10n ** 12n, paid: 2_000n }]).standard).toBe(2_000n)
    // A recommendation that is too low is followed only for the first version.
    expect(choosePriorityFees([free!, honest!]).replacement).toBe(1_000n)
  })

  it.each([
    '-5',
    '-0x5',
    '5',
    '',
    '0x',
    null,
    7,
  ])('is ignored unless it is a quantity, such as %j', async (invalid) => {
    const node = (suggested: unknown, reward: unknown) => ({
      request: async ({ method }: { method: string }) =>
        method === 'eth_maxPriorityFeePerGas' ? suggested : { reward: [[reward]] },
    })
    const feesOf = (...nodes: ReturnType<typeof node>[]) =>
      createPriorityFeeReader(nodes as unknown as Parameters<typeof createPriorityFeeReader>[0])()
    const honest = node('0x77359400', '0xb2d05e00')
    const fees = { standard: 2_000_000_000n, replacement: 2_000_000_000n }
    expect(await feesOf(node(invalid, '0x1'), honest)).toEqual(fees)
    // What its blocks paid is unknown then and doesn't cap the fee.
    expect(await feesOf(node('0x77359400', invalid))).toEqual(fees)
  })

  it('stay what they were while no node gives any: a gwei is a hundred times what rollups cost', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    let isLimited = true
    const request = async () => {
      if (isLimited) throw new Error('429')
      return '0xf4240'
    }
    const read = createPriorityFeeReader([{ request: request as never }])
    expect((await read()).standard, 'before any is known').toBe(10n ** 9n)
    isLimited = false
    vi.advanceTimersByTime(60_001)
    expect((await read()).standard).toBe(1_000_000n)
    isLimited = true
    vi.advanceTimersByTime(60_001)
    expect((await read()).standard).toBe(1_000_000n)
  })
})

/** An eighth more, rounded up, and always more. */
function raised(fee: bigint): bigint {
  return (fee * 9n + 7n) / 8n + 1n
}
