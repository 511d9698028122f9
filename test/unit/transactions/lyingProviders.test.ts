import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  type ChainNodes,
  findStalledProviders,
  noteHead,
  type SeenHead,
} from '../../../services/chain/transactions/chainNodes.ts'
import {
  combineViewReports,
  readViewReport,
  type ViewReport,
} from '../../../services/chain/transactions/chainViewReports.ts'
import { combineSimulations } from '../../../services/chain/transactions/combineSimulations.ts'
import { estimateGasPrice } from '../../../services/chain/transactions/estimateGasPrice.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import { createRollupDataFees } from '../../../services/chain/transactions/rollupDataFees.ts'
import type { Simulation } from '../../../services/chain/transactions/simulateCall.ts'

const HONEST: ViewReport = {
  head: 100,
  blockGas: 30_000_000n,
  baseFeePerGas: 1_000n,
  next: 7,
  pending: 8,
  balance: 10n ** 18n,
}
const PAYEE = '0x00000000000000000000000000000000000000a1'
const FEES = { standard: 1n, replacement: 2n }

describe('chainView', () => {
  const viewOf = (lies: Partial<ViewReport>[], honest = 1, spent = 0) => {
    const liars = lies.map((lie) => ({ ...HONEST, ...lie }))
    return combineViewReports([...liars, ...Array(honest).fill(HONEST)], FEES, spent)
  }

  it.each<[string, Partial<ViewReport>[], number, object]>([
    ['believes a single provider', [{ next: 12 }], 0, { next: 12 }],
    [
      'leaves no gap after too high a nonce of one of two',
      [{ next: 12, pending: 12 }],
      1,
      { next: 7 },
    ],
    [
      'isn’t stopped by a zero balance of one of two',
      [{ balance: 0n }],
      1,
      { balance: 10n ** 18n },
    ],
    [
      'isn’t stopped by a zero block gas limit of one of two',
      [{ blockGas: 0n }],
      1,
      { blockGas: 30_000_000n },
    ],
    ['confirms nothing by a future head of one of two', [{ head: 10 ** 9 }], 1, { head: 100 }],
    ['delays no replacement by a stuck head of one of two', [{ head: 0 }], 1, { newestHead: 100 }],
    ['ignores too low a nonce of one of three', [{ next: 0, pending: 0 }], 2, { next: 7 }],
    [
      'ignores too high a balance of one of three',
      [{ balance: 1n << 200n }],
      2,
      { balance: 10n ** 18n },
    ],
  ])('%s', (_, lies, honest, seen) => {
    expect(viewOf(lies, honest)).toMatchObject(seen)
  })

  it('ignores providers that don’t know the account’s confirmed transactions', () => {
    expect(viewOf([{ next: 0, pending: 0 }], 1, 6)).toMatchObject({ next: 7, pending: 8 })
    // The chain was reset: no provider knows them any more.
    expect(viewOf([{ next: 3 }], 1, 20)).toMatchObject({ next: 3 })
    // A node that was alone for a while claimed to have confirmed more: it must not decide from then on.
    expect(viewOf([{ next: 20 }], 2, 20)).toMatchObject({ next: 7, isByOne: false })
  })

  it('says when one of several providers alone reports the nonces', () => {
    const byOne = (reports: ViewReport[], confirmed: number, providers: number) =>
      combineViewReports(reports, FEES, confirmed, providers).isByOne
    expect(byOne([HONEST], 0, 1)).toBe(false)
    expect(byOne([HONEST], 0, 2)).toBe(true)
    expect(byOne([HONEST, HONEST], 0, 3)).toBe(false)
    expect(byOne([HONEST, { ...HONEST, next: 20 }], 20, 2)).toBe(true)
  })

  it('takes the lower base fee of two for a first version and the higher one for a replacement', () => {
    for (const baseFeePerGas of [0n, 10n ** 15n]) {
      const { market } = viewOf([{ baseFeePerGas }])
      expect(market.baseFeePerGas).toBeLessThanOrEqual(1_000n)
      expect(market.highestBaseFee).toBeGreaterThanOrEqual(1_000n)
    }
  })

  it('lies within the values of an honest majority', () => {
    const number = fc.nat(1_000_000)
    const amount = fc.bigInt({ min: 0n, max: 10n ** 24n })
    const report = fc.record<ViewReport>({
      head: number,
      next: number,
      pending: number,
      blockGas: amount,
      baseFeePerGas: amount,
      balance: amount,
    })
    const several = fc.array(report, { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(several, fc.array(report), (honest, all) => {
        const liars = all.slice(0, honest.length - 1)
        const {
          market: _,
          highestNext: __,
          newestHead: ___,
          isByOne: ____,
          ...view
        } = combineViewReports([...liars, ...honest], FEES)
        for (const key of Object.keys(view) as (keyof typeof view)[]) {
          expect(honest.some((one) => one[key] >= view[key])).toBe(true)
          expect(honest.some((one) => one[key] <= view[key])).toBe(true)
        }
      }),
    )
  })
})

describe('a negative fee of one of two', () => {
  const block = (baseFeePerGas: bigint) => ({ getBlock: async () => ({ baseFeePerGas }) })
  const nodesOf = (...clients: object[]) =>
    ({
      queryAll: createQueryAllProviders(clients),
      priorityFees: async () => FEES,
    }) as unknown as ChainNodes

  it('lowers no gas price, by which budgets are kept', async () => {
    const nodes = nodesOf(block(-(10n ** 18n)), block(1_000n))
    expect(await estimateGasPrice({ nodes })).toBe(1_001n)
  })

  it('lowers no fee for data', async () => {
    const oracle = (data: string) => ({ getCode: async () => '0x60', call: async () => ({ data }) })
    const nodes = nodesOf(oracle('-5'), oracle(`0x${'0'.repeat(63)}9`))
    expect(await createRollupDataFees(nodes, 10).of({ to: PAYEE, data: '0x' })).toBe(9n)
  })

  it('makes a view useless, as a block without a gas limit does', async () => {
    const { blockGas: gasLimit, balance, next } = HONEST
    const said = { number: 100n, gasLimit, baseFeePerGas: 1_000n }
    const read = (lie: object) =>
      readViewReport(
        {
          getBlock: async () => ({ ...said, ...lie }),
          getTransactionCount: async () => next,
          getBalance: async () => balance,
        } as never,
        '0x12',
      )
    expect(await read({})).toMatchObject({ blockGas: gasLimit })
    for (const lie of [{ baseFeePerGas: -1n }, { gasLimit: undefined }])
      await expect(read(lie)).rejects.toThrow(TypeError)
  })
})

describe('agreedSimulation: a call', () => {
  const BOUNDS = { blockGas: 30_000_000n, payable: 10_000_000n }
  const succeeds = (gas: bigint): Simulation => ({ outcome: 'succeeds', gas })
  const reverts = (error = 'REVERTED'): Simulation => ({
    outcome: 'reverts',
    error,
    args: [],
    detail: error,
  })
  const unknown: Simulation = { outcome: 'unknown', detail: 'missing trie node' }
  const honest = succeeds(300_000n)

  it.each<[string, Simulation[], Simulation]>([
    ['reverts if the only provider says so', [reverts()], reverts()],
    ['doesn’t revert because one of two says so', [reverts(), honest], honest],
    ['reverts if both say so', [reverts('A'), reverts('A')], reverts('A')],
    ['doesn’t revert because one of three says so', [reverts(), honest, honest], honest],
    ['reverts if most say so', [honest, reverts('A'), reverts('A')], reverts('A')],
    [
      'reverts with the most frequent error',
      [reverts('B'), reverts('A'), reverts('A')],
      reverts('A'),
    ],
    ['isn’t unknown if one can tell', [unknown, honest], honest],
    ['reverts if the other can’t tell', [unknown, reverts()], reverts()],
    ['is unknown if none can tell', [unknown, unknown], unknown],
    [
      'gets enough gas although one of two estimates too little',
      [succeeds(21_000n), honest],
      honest,
    ],
    ['gets the highest of similar estimates', [succeeds(290_000n), honest], honest],
    ['gets the highest of them in any order', [honest, succeeds(290_000n)], honest],
    [
      'isn’t refused because the balance doesn’t cover a false estimate',
      [succeeds(29_000_000n), honest],
      honest,
    ],
    ['gets no multiple of the median', [succeeds(9_000_000n), honest, honest], honest],
    ['gets no more than the block gas limit', [succeeds(10n ** 12n)], succeeds(30_000_000n)],
  ])('%s', (_, simulations, expected) => {
    expect(combineSimulations(simulations, BOUNDS)).toEqual(expected)
  })
})

describe('queryAll', () => {
  const never = new Promise<never>(() => {})
  const asking = (answers: Promise<number>[]) =>
    createQueryAllProviders(answers)((answer) => answer, String)

  it('returns the answers of those that answer, and fails if none does', async () => {
    const refused = Promise.reject(new Error('refused'))
    expect(await asking([refused, Promise.resolve(2)])).toEqual([2])
    await expect(asking([refused, Promise.reject(new Error('too'))])).rejects.toThrow('refused')
  })

  it('doesn’t wait for a third provider if two of three agree', async () => {
    expect(await asking([never, Promise.resolve(1), Promise.resolve(1)])).toEqual([1, 1])
  })

  it('waits only once for a silent provider, until it has answered again', async () => {
    let answer = (_: number) => {}
    const slow = new Promise<number>((resolve) => {
      answer = resolve
    })
    let silent: Promise<number> = slow
    const queryAll = createQueryAllProviders([() => silent, async () => 1])
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

test('a stalled provider is excluded while another one has new blocks', () => {
  const seen = (agoA: number, agoB: number) =>
    new Map([
      ['a', { head: 5, since: 1_000_000 - agoA, answeredAt: 1_000_000 }],
      ['b', { head: 9, since: 1_000_000 - agoB, answeredAt: 1_000_000 }],
    ])
  expect([...findStalledProviders(seen(90_000, 500), 1_000_000)]).toEqual(['a'])
  expect([...findStalledProviders(seen(500, 900), 1_000_000)]).toEqual([])
  // After a pause in which nobody asked, none is known to be stalled.
  expect([...findStalledProviders(seen(90_000, 100_000), 1_080_000)]).toEqual([])
  // The chain itself has stalled.
  expect([...findStalledProviders(seen(90_000, 90_000), 1_000_000)]).toEqual([])
})

test('while a chain has stalled, one of three providers that invents blocks doesn’t exclude the others', () => {
  const since = 1_000_000 - 90_000
  const answeredAt = 1_000_000
  const heads = new Map([
    ['a', { head: 5, since, answeredAt }],
    ['b', { head: 5, since, answeredAt }],
    ['liar', { head: 9, since: 1_000_000, answeredAt }],
  ])
  expect([...findStalledProviders(heads, 1_000_000)]).toEqual([])
  // One that stalls alone is still excluded.
  heads.set('b', { head: 9, since: 1_000_000, answeredAt })
  expect([...findStalledProviders(heads, 1_000_000)]).toEqual(['a'])
})

test('of three providers, one that stalls is excluded although another is down: that one has no say', () => {
  const heads = new Map<string, SeenHead>()
  const note = (provider: string, head: number, now: number) => noteHead(heads, provider, head, now)
  for (const provider of ['down', 'stalled', 'live']) note(provider, 5, 0)
  for (let now = 10_000; now <= 90_000; now += 10_000) {
    note('stalled', 5, now)
    note('live', 5 + now, now)
  }
  expect([...findStalledProviders(heads, 90_000)]).toEqual(['down', 'stalled'])
  // It is back, and only the last one, which invents them, has new blocks.
  note('down', 5, 95_000)
  expect([...findStalledProviders(heads, 95_000)]).toEqual([])
})
