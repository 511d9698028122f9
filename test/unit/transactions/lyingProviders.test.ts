import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { agreedSimulation } from '../../../services/chain/transactions/agreedSimulation.ts'
import { chainView, type ViewReport } from '../../../services/chain/transactions/chainView.ts'
import { queryAllOf } from '../../../services/chain/transactions/queryAll.ts'
import type { Simulation } from '../../../services/chain/transactions/simulateCall.ts'
import { stalledProviders } from '../../../services/chain/transactions/stalledProviders.ts'

const HONEST: ViewReport = {
  ...{ head: 100, blockGas: 30_000_000n, baseFeePerGas: 1_000n },
  ...{ next: 7, pending: 8, balance: 10n ** 18n },
}
const FEES = { usual: 1n, passedOver: 2n }

describe('given providers’ reports, the chain', () => {
  const viewOf = (lies: Partial<ViewReport>[], honest = 1, spent = 0) => {
    const liars = lies.map((lie) => ({ ...HONEST, ...lie }))
    return chainView([...liars, ...Array(honest).fill(HONEST)], FEES, spent)
  }

  it.each<[string, Partial<ViewReport>[], number, object]>([
    ['one alone is believed', [{ next: 12 }], 0, { next: 12 }],
    ['of two, a nonce too high leaves no gap', [{ next: 12, pending: 12 }], 1, { next: 7 }],
    ['of two, a balance of nothing stops nothing', [{ balance: 0n }], 1, { balance: 10n ** 18n }],
    [
      'of two, a block without room stops nothing',
      [{ blockGas: 0n }],
      1,
      { blockGas: 30_000_000n },
    ],
    ['of two, a head from the future confirms nothing', [{ head: 10 ** 9 }], 1, { head: 100 }],
    ['of two, a head that stays keeps no replacement back', [{ head: 0 }], 1, { newestHead: 100 }],
    ['of three, a nonce too low decides nothing', [{ next: 0, pending: 0 }], 2, { next: 7 }],
    [
      'of three, a balance too high decides nothing',
      [{ balance: 1n << 200n }],
      2,
      { balance: 10n ** 18n },
    ],
  ])('%s', (_, lies, honest, seen) => {
    expect(viewOf(lies, honest)).toMatchObject(seen)
  })

  it('is that of the ones who know of what the account has sent for certain', () => {
    expect(viewOf([{ next: 0, pending: 0 }], 1, 6)).toMatchObject({ next: 7, pending: 8 })
    // A chain that was set back: nobody knows of it any more.
    expect(viewOf([{ next: 3 }], 1, 20)).toMatchObject({ next: 3 })
  })

  it('of two has an invented base fee neither for a first version nor too low a one for the next', () => {
    for (const baseFeePerGas of [0n, 10n ** 15n]) {
      const { market } = viewOf([{ baseFeePerGas }])
      expect(market.baseFeePerGas).toBeLessThanOrEqual(1_000n)
      expect(market.baseFeeAtMost).toBeGreaterThanOrEqual(1_000n)
    }
  })

  it('is as honest ones see it, each value, as long as they are the majority', () => {
    const number = fc.nat(1_000_000)
    const amount = fc.bigInt({ min: 0n, max: 10n ** 24n })
    const report = fc.record<ViewReport>({
      ...{ head: number, next: number, pending: number },
      ...{ blockGas: amount, baseFeePerGas: amount, balance: amount },
    })
    const several = fc.array(report, { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(several, fc.array(report), (honest, all) => {
        const liars = all.slice(0, honest.length - 1)
        const {
          market: _,
          mostNext: __,
          newestHead: ___,
          ...view
        } = chainView([...liars, ...honest], FEES)
        for (const key of Object.keys(view) as (keyof typeof view)[]) {
          expect(honest.some((one) => one[key] >= view[key])).toBe(true)
          expect(honest.some((one) => one[key] <= view[key])).toBe(true)
        }
      }),
    )
  })
})

describe('given what providers say a call does, it', () => {
  const BOUNDS = { blockGas: 30_000_000n, payable: 10_000_000n }
  const succeeds = (gas: bigint): Simulation => ({ outcome: 'succeeds', gas })
  const reverts = (error = 'REVERTED'): Simulation => ({
    ...{ outcome: 'reverts', error, args: [], detail: error },
  })
  const unknown: Simulation = { outcome: 'unknown', detail: 'missing trie node' }
  const honest = succeeds(300_000n)

  it.each<[string, Simulation[], Simulation]>([
    ['reverts, where only one is asked', [reverts()], reverts()],
    ['doesn’t revert by the word of one of two', [reverts(), honest], honest],
    ['reverts by the word of both', [reverts('A'), reverts('A')], reverts('A')],
    ['doesn’t revert by the word of one of three', [reverts(), honest, honest], honest],
    ['reverts by the word of most', [honest, reverts('A'), reverts('A')], reverts('A')],
    [
      'reverts with the error that most name',
      [reverts('B'), reverts('A'), reverts('A')],
      reverts('A'),
    ],
    ['isn’t unknown while one can tell', [unknown, honest], honest],
    ['reverts, where the other can’t tell', [unknown, reverts()], reverts()],
    ['is unknown when none can tell', [unknown, unknown], unknown],
    ['gets enough, though one of two names too little', [succeeds(21_000n), honest], honest],
    ['gets the highest of estimates that are alike', [succeeds(290_000n), honest], honest],
    [
      'isn’t refused for want of the balance that a lie takes',
      [succeeds(29_000_000n), honest],
      honest,
    ],
    ['gets no multiple of what most say', [succeeds(9_000_000n), honest, honest], honest],
    ['gets no more than a block has', [succeeds(10n ** 12n)], succeeds(30_000_000n)],
  ])('%s', (_, said, expected) => {
    expect(agreedSimulation(said, BOUNDS)).toEqual(expected)
  })
})

describe('a question to all providers', () => {
  const never = new Promise<never>(() => {})
  const asking = (answers: Promise<number>[]) => queryAllOf(answers)((answer) => answer, String)

  it('is answered by those that answer, and not at all when none does', async () => {
    const refused = Promise.reject(new Error('refused'))
    expect(await asking([refused, Promise.resolve(2)])).toEqual([2])
    await expect(asking([refused, Promise.reject(new Error('too'))])).rejects.toThrow('refused')
  })

  it('waits for no third when two of three agree', async () => {
    expect(await asking([never, Promise.resolve(1), Promise.resolve(1)])).toEqual([1, 1])
  })

  it('waits once for one that keeps silent, and for all again once it has answered', async () => {
    let answer = (_: number) => {}
    const slow = new Promise<number>((resolve) => {
      answer = resolve
    })
    let silent: Promise<number> = slow
    const queryAll = queryAllOf([() => silent, async () => 1])
    const ask = async () => {
      const begun = performance.now()
      const answers = await queryAll((client) => client(), String)
      return { answers, ms: performance.now() - begun }
    }
    expect((await ask()).ms).toBeGreaterThan(500)
    const second = await ask()
    expect(second.answers).toEqual([1])
    expect(second.ms).toBeLessThan(500)
    answer(2)
    silent = new Promise((resolve) => setTimeout(() => resolve(2), 100))
    await slow
    await new Promise((resolve) => setTimeout(resolve))
    expect((await ask()).answers).toEqual([1, 2])
  })
})

test('a provider that stands still doesn’t count while another goes on', () => {
  const seen = (agoA: number, agoB: number) =>
    new Map([
      ['a', { head: 5, since: 1_000_000 - agoA }],
      ['b', { head: 9, since: 1_000_000 - agoB }],
    ])
  expect([...stalledProviders(seen(90_000, 500), 1_000_000)]).toEqual(['a'])
  expect([...stalledProviders(seen(500, 900), 1_000_000)]).toEqual([])
  // The chain itself stands still.
  expect([...stalledProviders(seen(90_000, 90_000), 1_000_000)]).toEqual([])
})
