import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planRound } from '../../../services/solver/plan/planRound.ts'
import type { SeenIntent, Snapshot, UnderWay } from '../../../services/solver/plan/snapshot.ts'
import { stakeOf } from '../../../services/solver/plan/stakeOf.ts'
import type { Policy } from '../../../services/solver/policy/policy.ts'
import { BASE, HORIZEN, OPEN, policyOf, RIVAL, snapshotOf, US, USDC, WETH } from './solverScene.ts'

const policy = policyOf()

/** What is done, in words: `bid 950000000`. */
function does(snapshot: Snapshot, by: Policy = policy): string[] {
  return planRound(snapshot, by).actions.map((action) => {
    if (action.do === 'approve') return `approve ${action.chainId}`
    return 'amountB' in action ? `${action.do} ${action.amountB}` : action.do
  })
}

function passes(snapshot: Snapshot, by: Policy = policy): string[] {
  return planRound(snapshot, by).passes.map(({ reason }) => reason)
}

const rivals = (amountB: bigint): SeenIntent => ({ ...OPEN, solver: RIVAL, amountB })
const ours: SeenIntent = { ...OPEN, solver: US, amountB: 960_000_000n }
const won: SeenIntent = { ...ours, phase: 'deposited', fillDeadline: 300, isDeep: true }
const delivered: SeenIntent = { ...won, delivery: { chain2IntentId: 7n, isDeep: true } }
const about = (kind: 'bid' | 'deposit' | 'deliver', amountB = 960_000_000n): UnderWay => ({
  ...{ kind, sourceChainId: BASE, intentId: 1n, amountB },
})

describe('while an auction runs', () => {
  it('opens with what the sender expects at least', () => {
    expect(does(snapshotOf(80, [OPEN]))).toEqual(['bid 950000000'])
  })

  it('outbids a rival by a step', () => {
    expect(does(snapshotOf(80, [rivals(955_000_000n)]))).toEqual(['bid 955950000'])
  })

  it('goes up to what it is worth less the margin, and no further', () => {
    // 975 less 1 % is 965.25.
    expect(does(snapshotOf(80, [rivals(965_000_000n)]))).toEqual(['bid 965250000'])
    expect(passes(snapshotOf(80, [rivals(965_250_000n)]))).toEqual(['not_worth_it'])
  })

  it('passes an offer that asks too much', () => {
    expect(passes(snapshotOf(80, [{ ...OPEN, expectedAmountB: 970_000_000n }]))).toEqual([
      'not_worth_it',
    ])
  })

  it('leaves its own best bid alone', () => {
    const plan = planRound(snapshotOf(80, [ours]), policy)
    expect(plan).toEqual({ actions: [], passes: [] })
  })

  it('sends nothing more while a bid is under way', () => {
    expect(does(snapshotOf(80, [OPEN], { underWay: [about('bid')] }))).toEqual([])
  })

  it('can’t bid before the anchor, and doesn’t when it would be mined too late', () => {
    expect(passes(snapshotOf(80, [{ ...OPEN, feeBps: 0 }]))).toEqual(['not_anchored'])
    expect(passes(snapshotOf(97, [OPEN]))).toEqual(['too_late'])
    expect(does(snapshotOf(96, [OPEN]))).toEqual(['bid 950000000'])
  })

  it('asks for the approvals that the delivery will need, once', () => {
    const none = { allowances: new Map<string, bigint>() }
    const changes = { source: none, destination: none }
    expect(does(snapshotOf(80, [OPEN], changes))).toEqual([
      `approve ${BASE}`,
      `approve ${HORIZEN}`,
      'bid 950000000',
    ])
    const underWay: UnderWay[] = [{ kind: 'approve', chainId: BASE, token: USDC }]
    expect(does(snapshotOf(80, [OPEN], { ...changes, underWay }))).toEqual([
      `approve ${HORIZEN}`,
      'bid 950000000',
    ])
  })
})

describe('what it can afford', () => {
  const holding = (usdc: bigint) => ({ balances: new Map([[USDC, usdc]]) })
  const second: SeenIntent = { ...OPEN, intentId: 2n, endTime: 90 }

  it('needs the bond on the source and the amount on the destination', () => {
    expect(does(snapshotOf(80, [OPEN], { source: holding(50_000_000n) }))).toHaveLength(1)
    expect(passes(snapshotOf(80, [OPEN], { source: holding(49_999_999n) }))).toEqual(['inventory'])
    expect(does(snapshotOf(80, [OPEN], { destination: holding(950_000_000n) }))).toHaveLength(1)
    expect(passes(snapshotOf(80, [OPEN], { destination: holding(949_999_999n) }))).toEqual([
      'inventory',
    ])
  })

  it('gives what there is to the auction that ends first', () => {
    const plan = planRound(
      snapshotOf(80, [OPEN, second], { destination: holding(1_800_000_000n) }),
      policy,
    )
    expect(plan.actions).toEqual([{ do: 'bid', intent: second, amountB: 950_000_000n }])
    expect(plan.passes).toEqual([{ intent: OPEN, reason: 'inventory' }])
  })

  it.each<[string, SeenIntent, UnderWay[]]>([
    ['a bid that leads', ours, []],
    ['a bid under way', OPEN, [about('bid')]],
    ['a deposit under way', ours, [about('deposit')]],
    ['a delivery that is due', won, []],
    ['a delivery under way', won, [about('deliver')]],
  ])('keeps back what %s needs', (_, bound, underWay) => {
    const snapshot = snapshotOf(80, [bound, second], {
      underWay,
      destination: holding(1_909_999_999n),
    })
    expect(passes(snapshot)).toEqual(['inventory'])
    const enough = snapshotOf(80, [bound, second], {
      underWay,
      destination: holding(1_910_000_000n),
    })
    expect(passes(enough)).toEqual([])
  })

  it('is free again once it was outbid, delivered, or too late to deliver', () => {
    for (const free of [rivals(965_250_000n), delivered, { ...won, fillDeadline: 79 }]) {
      const snapshot = snapshotOf(80, [free, second], { destination: holding(950_000_000n) })
      expect(does(snapshot).filter((action) => action.startsWith('bid'))).toEqual(['bid 950000000'])
    }
  })

  it('begins nothing new while a chain doesn’t answer, or when it was stopped', () => {
    const snapshot = snapshotOf(80, [OPEN, { ...won, intentId: 3n }], { isWhole: false })
    expect(does(snapshot)).toEqual(['deliver'])
    const whole = snapshotOf(80, [OPEN, { ...won, intentId: 3n }])
    expect(planRound(whole, policy, false).actions.map((action) => action.do)).toEqual(['deliver'])
  })

  it('leaves a chain alone when its gas runs low', () => {
    const poor = { native: 10n ** 16n - 1n }
    expect(passes(snapshotOf(80, [OPEN], { source: poor }))).toEqual(['gas'])
    expect(passes(snapshotOf(80, [OPEN], { destination: poor }))).toEqual(['gas'])
    // What is owed is done all the same.
    expect(does(snapshotOf(100, [won], { destination: poor }))).toEqual(['deliver'])
  })
})

describe('the policy’s limits', () => {
  const second: SeenIntent = { ...OPEN, intentId: 2n, endTime: 90 }

  it.each([
    ['one intent', { intent: '949' }, ['exposure', 'exposure']],
    ['one intent, just enough', { intent: '950' }, []],
    ['everything', { overall: '1999' }, ['exposure']],
    ['everything, just enough', { overall: '2000' }, []],
    ['a token', { tokens: { USDC: '1999.99' } }, ['exposure']],
    ['a token, just enough', { tokens: { USDC: '2000' } }, []],
  ])('hold for %s', (_, limits, expected) => {
    expect(passes(snapshotOf(80, [OPEN, second]), policyOf({ limits }))).toEqual(expected)
  })

  it('count what is delivered and not settled yet', () => {
    const limited = policyOf({ limits: { overall: '1999' } })
    expect(passes(snapshotOf(80, [delivered, second]), limited)).toEqual(['exposure'])
  })

  it('leave out pairs and chains that aren’t served', () => {
    const pairs = [{ tokenA: 'USDC', tokenB: 'USDC', serve: false }]
    expect(passes(snapshotOf(80, [OPEN]), policyOf({ pairs }))).toEqual(['pair_not_served'])
    const chains = ['horizen_testnet']
    expect(passes(snapshotOf(80, [OPEN]), policyOf({ chains }))).toEqual(['pair_not_served'])
    const prices = { WETH: '3000' }
    expect(passes(snapshotOf(80, [OPEN]), policyOf({ prices }))).toEqual(['pair_not_served'])
  })
})

describe('once the auction is over', () => {
  it('deposits what it bid, in its own window', () => {
    expect(does(snapshotOf(99, [ours]))).toEqual([])
    expect(does(snapshotOf(100, [ours]))).toEqual(['deposit 960000000'])
    expect(does(snapshotOf(109, [ours]))).toEqual(['deposit 960000000'])
    expect(does(snapshotOf(105, [ours], { underWay: [about('deposit')] }))).toEqual([])
  })

  it('picks up in the second window what others left, and what it missed itself', () => {
    for (const left of [rivals(980_000_000n), ours]) {
      expect(does(snapshotOf(110, [left]))).toEqual(['deposit 950000000'])
      expect(does(snapshotOf(118, [left]))).toEqual(['deposit 950000000'])
      expect(does(snapshotOf(119, [left]))).toEqual([])
    }
    expect(does(snapshotOf(110, [OPEN]))).toEqual([])
    expect(does(snapshotOf(105, [rivals(980_000_000n)]))).toEqual([])
    expect(does(snapshotOf(110, [rivals(980_000_000n)]), policyOf({ rescue: false }))).toEqual([])
  })

  it('rescues only what is worth it', () => {
    const dear = { ...rivals(980_000_000n), expectedAmountB: 970_000_000n }
    expect(passes(snapshotOf(110, [dear]))).toEqual(['not_worth_it'])
  })
})

describe('once it has won', () => {
  it('delivers when its deposit is deep', () => {
    expect(does(snapshotOf(110, [{ ...won, isDeep: false }]))).toEqual([])
    expect(does(snapshotOf(110, [won]))).toEqual(['deliver'])
    expect(does(snapshotOf(110, [won], { underWay: [about('deliver')] }))).toEqual([])
  })

  it('begins no delivery that could come after the deadline, by the destination’s clock', () => {
    expect(does(snapshotOf(239, [won]))).toEqual(['deliver'])
    expect(does(snapshotOf(240, [won]))).toEqual([])
    expect(does(snapshotOf(239, [won], { destination: { time: 240 } }))).toEqual([])
    expect(does(snapshotOf(400, [won], { destination: { time: 239 } }))).toEqual(['deliver'])
  })

  it('has it settled when the delivery is deep, however late it is', () => {
    const fresh = { ...won, delivery: { chain2IntentId: 7n, isDeep: false } }
    expect(does(snapshotOf(120, [fresh]))).toEqual([])
    expect(does(snapshotOf(120, [delivered]))).toEqual(['settle'])
    expect(does(snapshotOf(999, [delivered]))).toEqual(['settle'])
  })

  it('is done with what is over, and with what somebody else has won', () => {
    expect(does(snapshotOf(120, [{ ...won, phase: 'settled' }]))).toEqual([])
    expect(does(snapshotOf(120, [{ ...won, solver: RIVAL }]))).toEqual([])
  })
})

describe('whatever the market looks like', () => {
  const usd = (most: number) => fc.bigInt({ min: 1n, max: BigInt(most) * 1_000_000n })
  const intents = fc.array(
    fc.record({
      amountA: usd(2_000),
      expectedAmountB: usd(2_000),
      reward: usd(20),
      endTime: fc.integer({ min: 60, max: 140 }),
      feeBps: fc.constantFrom(0, 250, 700),
      holder: fc.constantFrom(null, US, RIVAL),
      surplus: usd(10),
      phase: fc.constantFrom('open', 'open', 'deposited', 'settled'),
      swapped: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  const worlds = fc.record({ intents, purseA: usd(2_000), purseB: usd(6_000), time: fc.nat(160) })

  function snapshotFrom({
    intents: drawn,
    purseA,
    purseB,
    time,
  }: typeof worlds extends fc.Arbitrary<infer W> ? W : never) {
    const seen = drawn.map((one, at): SeenIntent => {
      const { holder, surplus, swapped, ...terms } = one
      const phase = holder === null && one.phase === 'deposited' ? 'open' : one.phase
      const [from, to] = swapped ? [HORIZEN, BASE] : [BASE, HORIZEN]
      return {
        ...OPEN,
        ...terms,
        phase: phase as SeenIntent['phase'],
        intentId: BigInt(at + 1),
        sourceChainId: from,
        destChainId: to,
        solver: holder,
        amountB: holder === null ? 0n : terms.expectedAmountB + surplus,
        fillDeadline: phase === 'deposited' ? 150 : 0,
        isDeep: true,
      }
    })
    return snapshotOf(time, seen, {
      source: { balances: new Map([[USDC, purseA]]) },
      destination: { balances: new Map([[USDC, purseB]]) },
    })
  }

  it('never commits more than it holds beyond what was bound before', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotFrom(world)
        const bids = planRound(snapshot, policy).actions.filter(
          (action) =>
            action.do === 'bid' || (action.do === 'deposit' && action.intent.solver !== US),
        )
        const needed = new Map<number, bigint>()
        const need = (chainId: number, amount: bigint) =>
          needed.set(chainId, (needed.get(chainId) ?? 0n) + amount)
        for (const action of bids) {
          if (action.do !== 'bid' && action.do !== 'deposit') continue
          need(action.intent.sourceChainId, (action.intent.amountA * 5n) / 100n)
          need(action.intent.destChainId, action.amountB)
        }
        const touched = new Set(needed.keys())
        for (const intent of snapshot.intents) {
          const stake = stakeOf(intent, snapshot)
          if (!stake || bids.some((bid) => 'intent' in bid && bid.intent === intent)) continue
          need(intent.sourceChainId, stake.bondInHand)
          need(intent.destChainId, stake.amountInHand)
        }
        for (const chainId of touched)
          expect(needed.get(chainId)! <= snapshot.chains.get(chainId)!.balances.get(USDC)!).toBe(
            true,
          )
      }),
      { seed: 41, numRuns: 1_000 },
    )
  })

  it('bids what the contract takes, and at least a margin below what comes in', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotFrom(world)
        for (const action of planRound(snapshot, policy).actions) {
          if (action.do !== 'bid') continue
          const { intent, amountB } = action
          const least = intent.solver ? intent.amountB + 1n : intent.expectedAmountB
          expect(amountB >= least && amountB >= intent.expectedAmountB).toBe(true)
          const income =
            intent.amountA - (intent.amountA * BigInt(intent.feeBps)) / 10_000n + intent.reward
          expect(amountB * 100n <= income * 99n).toBe(true)
        }
      }),
      { seed: 42, numRuns: 1_000 },
    )
  })
})

it('trades one token for another at the prices’ ratio, whatever their decimals', () => {
  const swap = { ...OPEN, tokenB: WETH, expectedAmountB: 10n ** 17n }
  // 975 USDC less 1 % at 3,000: 0.32175 WETH.
  expect(
    does(snapshotOf(80, [{ ...swap, solver: RIVAL, amountB: 321_749_999_999_999_999n }])),
  ).toEqual(['bid 321750000000000000'])
  const pairs = [{ tokenA: 'USDC', tokenB: 'WETH', rate: '0.0005', marginBps: 0 }]
  expect(
    does(
      snapshotOf(80, [{ ...swap, solver: RIVAL, amountB: 487_499_999_999_999_999n }]),
      policyOf({ pairs }),
    ),
  ).toEqual(['bid 487500000000000000'])
})

it('takes the gas of a delivery into account', () => {
  const gas = { allowance: '2.5' }
  expect(does(snapshotOf(80, [rivals(962_749_999n)]), policyOf({ gas }))).toEqual(['bid 962750000'])
  expect(passes(snapshotOf(80, [rivals(962_750_000n)]), policyOf({ gas }))).toEqual([
    'not_worth_it',
  ])
})
