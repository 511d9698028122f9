import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calculateReservedFunds } from '../../../services/solver/plan/calculateReservedFunds.ts'
import { planRound } from '../../../services/solver/plan/planRound.ts'
import type {
  ChainSnapshot,
  IntentSnapshot,
  PendingTransaction,
  Snapshot,
} from '../../../services/solver/plan/solverSnapshot.ts'
import type { Policy } from '../../../services/solver/policy/policy.ts'
import {
  BASE,
  BOND,
  HORIZEN,
  OPEN,
  policyOf,
  RIVAL,
  snapshotOf,
  US,
  USDC,
  WETH,
} from './solverTestbed.ts'

const policy = policyOf()

/** The planned actions in short: `bid 950000000`. */
function does(snapshot: Snapshot, by: Policy = policy): string[] {
  return planRound(snapshot, by).actions.map((action) => {
    if (action.do === 'approve' || action.do === 'seal') return `${action.do} ${action.chainId}`
    if ('amount' in action) return `${action.do} ${action.chainId} ${action.amount}`
    return 'amountB' in action ? `${action.do} ${action.amountB}` : action.do
  })
}

function skipped(snapshot: Snapshot, by: Policy = policy): string[] {
  return planRound(snapshot, by).skipped.map(({ reason }) => reason)
}

const rivals = (amountB: bigint): IntentSnapshot => ({ ...OPEN, solver: RIVAL, amountB })
const ours: IntentSnapshot = { ...OPEN, solver: US, amountB: 960_000_000n }
const won: IntentSnapshot = { ...ours, phase: 'deposited', fillDeadline: 300 }
const delivered: IntentSnapshot = { ...won, delivery: { chain2IntentId: 7n, isConfirmed: true } }
const about = (
  kind: 'bid' | 'deposit' | 'ask' | 'deliver',
  amountB = 960_000_000n,
): PendingTransaction => ({ kind, sourceChainId: BASE, intentId: 1n, amountB })
/** With blocks of 2 seconds, at most two more can include a bid from 94 on, and none from 98 on. */
const FINAL = 94

describe('while an auction runs', () => {
  it('waits until the recipients are fixed', () => {
    expect(skipped(snapshotOf(69, [OPEN]))).toEqual(['too_early'])
    expect(does(snapshotOf(70, [OPEN]))).toEqual(['bid 950000000'])
  })

  it('bids the sender’s minimum as a safeguard if nobody else has bid', () => {
    expect(does(snapshotOf(80, [OPEN]))).toEqual(['bid 950000000'])
    expect(skipped(snapshotOf(80, [rivals(955_000_000n)]))).toEqual(['too_early'])
  })

  it('bids the offer’s worth less the margin two blocks before the end', () => {
    // 975 less 1 % is 965.25.
    for (const seen of [OPEN, rivals(955_000_000n), ours]) {
      expect(does(snapshotOf(FINAL - 1, [seen])).filter((one) => one.endsWith('5250000'))).toEqual(
        [],
      )
      expect(does(snapshotOf(FINAL, [seen]))).toEqual(['bid 965250000'])
    }
  })

  it('bids its own price once and never above it', () => {
    const atOwnPrice = { ...ours, amountB: 965_250_000n }
    expect(planRound(snapshotOf(FINAL, [atOwnPrice]), policy)).toEqual({ actions: [], skipped: [] })
    expect(skipped(snapshotOf(FINAL, [rivals(965_250_000n)]))).toEqual(['not_worth_it'])
    expect(does(snapshotOf(FINAL, [rivals(965_249_999n)]))).toEqual(['bid 965250000'])
  })

  it('measures blocks by their length in seconds', () => {
    const slow = { source: { blockSeconds: 6 } }
    expect(does(snapshotOf(82, [ours], slow))).toEqual(['bid 965250000'])
    expect(does(snapshotOf(81, [ours], slow))).toEqual([])
    const patient = policyOf({ bidding: { finalBlocks: 9 } })
    expect(does(snapshotOf(80, [ours]), patient)).toEqual(['bid 965250000'])
  })

  it('bids on no delivery to a stalled chain, and delivers what it has won', () => {
    const stalled = { destination: { isStalled: true } }
    for (const [time, intent] of [
      [80, OPEN],
      [FINAL, ours],
    ] as const)
      expect(skipped(snapshotOf(time, [intent], stalled))).toEqual(['delivery_too_late'])
    expect(does(snapshotOf(100, [ours], stalled))).toEqual(['deposit 960000000'])
    expect(does(snapshotOf(110, [won], stalled))).toEqual(['deliver'])
    // Nothing is delivered on the source.
    expect(does(snapshotOf(80, [OPEN], { source: { isStalled: true } }))).toEqual(['bid 950000000'])
  })

  it('bids on no delivery whose deadline is near or past by the destination’s clock', () => {
    // Of 200 seconds, 60 are left for safety, and 50 for the deposit to be confirmed.
    const ahead = (seconds: number) => ({ destination: { time: 80 + seconds } })
    expect(does(snapshotOf(80, [OPEN], ahead(90)))).toEqual(['bid 950000000'])
    expect(skipped(snapshotOf(80, [OPEN], ahead(91)))).toEqual(['delivery_too_late'])
    expect(does(snapshotOf(80, [OPEN], ahead(-600)))).toEqual(['bid 950000000'])
    expect(does(snapshotOf(100, [ours], ahead(600)))).toEqual(['deposit 960000000'])
  })

  it('bids on no chain whose clock may pass over both windows for the deposit at once', () => {
    // Each window takes 10 seconds.
    const ahead = (seconds: number) => ({ destination: { clock: 80 + seconds } })
    expect(does(snapshotOf(80, [OPEN], ahead(10)))).toEqual(['bid 950000000'])
    expect(skipped(snapshotOf(80, [OPEN], ahead(11)))).toEqual(['clock_behind'])
    expect(does(snapshotOf(100, [ours], ahead(3_600)))).toEqual(['deposit 960000000'])
    const left = rivals(970_000_000n)
    expect(does(snapshotOf(115, [left], ahead(3_600)))).toEqual(['deposit 965150000'])
    // While a chain is silent, its clock goes on.
    const silent = { source: { time: 20 }, destination: { clock: 85 } }
    expect(does(snapshotOf(80, [OPEN], silent))).toEqual(['bid 950000000'])
  })

  it('bids by the chain’s clock while no block shows the time', () => {
    expect(does(snapshotOf(50, [OPEN], { source: { clock: 70 } }))).toEqual(['bid 950000000'])
    expect(does(snapshotOf(50, [OPEN], { source: { clock: FINAL } }))).toEqual(['bid 965250000'])
    expect(does(snapshotOf(50, [OPEN], { source: { clock: 100 } }))).toEqual([])
  })

  it('skips an offer that asks too much', () => {
    expect(skipped(snapshotOf(80, [{ ...OPEN, expectedAmountB: 970_000_000n }]))).toEqual([
      'not_worth_it',
    ])
  })

  it('does not outbid itself', () => {
    const plan = planRound(snapshotOf(80, [ours]), policy)
    expect(plan).toEqual({ actions: [], skipped: [] })
  })

  it('waits for a pending bid', () => {
    expect(does(snapshotOf(80, [OPEN], { pending: [about('bid')] }))).toEqual([])
  })

  it('does not bid before the anchor, or when the bid would be mined too late', () => {
    expect(skipped(snapshotOf(80, [{ ...OPEN, feeBps: 0 }]))).toEqual(['not_anchored'])
    expect(skipped(snapshotOf(98, [OPEN]))).toEqual(['too_late'])
    expect(does(snapshotOf(97, [OPEN]))).toEqual(['bid 965250000'])
  })

  it('does not bid for an unconfirmed intent, whose terms a reorg may change', () => {
    expect(skipped(snapshotOf(80, [{ ...OPEN, isConfirmed: false }]))).toEqual(['not_confirmed'])
  })

  it('requests the delivery’s approval once', () => {
    const none = { allowances: new Map([[USDC, 0n]]) }
    const changes = { source: { ...none, balances: new Map() }, destination: none }
    expect(does(snapshotOf(80, [OPEN], changes))).toEqual([`approve ${HORIZEN}`, 'bid 950000000'])
    const pending: PendingTransaction[] = [{ kind: 'approve', chainId: HORIZEN, token: USDC }]
    expect(does(snapshotOf(80, [OPEN], { ...changes, pending }))).toEqual(['bid 950000000'])
    // It would be requested, and paid, again and again.
    const allowed = (amount: bigint) => ({ allowances: new Map([[USDC, amount]]) })
    const exact = snapshotOf(80, [OPEN], { destination: allowed(950_000_000n) })
    expect(does(exact)).toEqual(['bid 950000000'])
    const less = snapshotOf(80, [OPEN], { destination: allowed(949_999_999n) })
    expect(does(less)).toEqual([`approve ${HORIZEN}`, 'bid 950000000'])
    // Also for a delivery that is due while the operator has stopped it.
    const due = snapshotOf(110, [won], { destination: allowed(0n) })
    const stopped = planRound(due, policy, false).actions.map((action) => action.do)
    expect(stopped).toEqual(['approve', 'deliver'])
    const unknown = { allowances: new Map<string, bigint>() }
    expect(does(snapshotOf(80, [OPEN], { destination: unknown }))).toEqual(['bid 950000000'])
  })
})

const staking = (total: bigint, locked = 0n): Partial<ChainSnapshot> => ({
  stakes: new Map([[USDC, { total, locked }]]),
})

describe('the budget', () => {
  const holding = (usdc: bigint): Partial<ChainSnapshot> => ({ balances: new Map([[USDC, usdc]]) })
  const second: IntentSnapshot = { ...OPEN, intentId: 2n, endTime: 90 }
  /** Stakes nothing itself, so that plans hold only bids and obligations. */
  const idle = policyOf({ stakes: {} })

  it('needs free stake on the source and the amount on the destination', () => {
    expect(does(snapshotOf(80, [OPEN], { source: staking(BOND) }), idle)).toHaveLength(1)
    expect(skipped(snapshotOf(80, [OPEN], { source: staking(BOND - 1n) }))).toEqual(['stake'])
    expect(skipped(snapshotOf(80, [OPEN], { source: staking(2n * BOND, BOND + 1n) }))).toEqual([
      'stake',
    ])
    expect(skipped(snapshotOf(80, [OPEN], { source: { stakes: new Map() } }))).toEqual(['stake'])
    expect(does(snapshotOf(80, [OPEN], { destination: holding(950_000_000n) }))).toHaveLength(1)
    expect(skipped(snapshotOf(80, [OPEN], { destination: holding(949_999_999n) }))).toEqual([
      'inventory',
    ])
  })

  it('locks stake for the reward too', () => {
    const rewarded = { ...OPEN, reward: 100_000_000n }
    expect(skipped(snapshotOf(80, [rewarded], { source: staking(54_999_999n) }))).toEqual(['stake'])
    expect(does(snapshotOf(80, [rewarded], { source: staking(55_000_000n) }), idle)).toHaveLength(1)
  })

  it('spends scarce tokens on the auction that ends first', () => {
    const plan = planRound(
      snapshotOf(80, [OPEN, second], { destination: holding(1_800_000_000n) }),
      policy,
    )
    expect(plan.actions).toEqual([{ do: 'bid', intent: second, amountB: 950_000_000n }])
    expect(plan.skipped).toEqual([{ intent: OPEN, reason: 'inventory' }])
  })

  it('keeps nothing for what a rival won, nor for what has ended', () => {
    for (const over of [
      { ...won, solver: RIVAL },
      { ...delivered, phase: 'settled' as const },
    ]) {
      const seen = snapshotOf(110, [over])
      expect(calculateReservedFunds(over, seen)).toBeNull()
    }
  })

  it('uses the stake of one lock for one auction, also while a bid is pending', () => {
    expect(skipped(snapshotOf(80, [OPEN, second], { source: staking(BOND) }))).toEqual(['stake'])
    const pending = [about('bid')]
    expect(skipped(snapshotOf(80, [OPEN, second], { pending, source: staking(BOND) }))).toEqual([
      'stake',
    ])
    // A leading bid has its lock already.
    const source = staking(2n * BOND, BOND)
    expect(skipped(snapshotOf(80, [ours, second], { source }))).toEqual([])
  })

  it('does not bid on a stake that is being withdrawn', () => {
    const pending: PendingTransaction[] = [{ kind: 'unstake', chainId: BASE, token: USDC }]
    expect(skipped(snapshotOf(80, [OPEN], { pending }))).toEqual(['stake'])
  })

  it('does not bid tokens that are being staked', () => {
    const pending: PendingTransaction[] = [{ kind: 'stake', chainId: HORIZEN, token: USDC }]
    expect(skipped(snapshotOf(80, [OPEN], { pending }))).toEqual(['inventory'])
  })

  it('does not bid without its own sealing key, since it could not read the recipients', () => {
    for (const sealingKey of ['none', 'other'] as const)
      expect(skipped(snapshotOf(80, [OPEN], { source: { sealingKey } }))).toEqual(['sealing_key'])
  })

  it.each<[string, IntentSnapshot, PendingTransaction[]]>([
    ['a bid that leads', ours, []],
    ['a pending bid', OPEN, [about('bid')]],
    ['a bid that leads, beside a lower one that is pending', ours, [about('bid', 950_000_000n)]],
    [
      'a lower bid that leads, beside a pending one',
      { ...ours, amountB: 950_000_000n },
      [about('bid')],
    ],
    ['a pending deposit', ours, [about('deposit')]],
    ['a pending pickup of a rival’s intent', rivals(955_000_000n), [about('deposit')]],
    ['a bid that can still be deposited', { ...ours, endTime: 61 }, []],
    ['a delivery that is due', won, []],
    ['a pending delivery', won, [about('deliver')]],
  ])('reserves what %s needs', (_, bound, pending) => {
    const snapshot = snapshotOf(80, [bound, second], {
      pending,
      destination: holding(1_909_999_999n),
    })
    expect(skipped(snapshot)).toEqual(['inventory'])
    const enough = snapshotOf(80, [bound, second], {
      pending,
      destination: holding(1_910_000_000n),
    })
    expect(skipped(enough)).toEqual([])
  })

  it('needs only the difference to raise its own bid', () => {
    const changes = { source: staking(BOND, BOND), destination: holding(965_250_000n) }
    expect(does(snapshotOf(FINAL, [ours], changes), idle)).toEqual(['bid 965250000'])
    const less = { ...changes, destination: holding(965_249_999n) }
    expect(skipped(snapshotOf(FINAL, [ours], less), idle)).toEqual(['inventory'])
  })

  it('releases the reservation once it is outbid, has delivered, or is too late', () => {
    const late = [
      { ...won, fillDeadline: 80 },
      { ...ours, endTime: 60 },
    ]
    for (const free of [rivals(965_250_000n), delivered, ...late]) {
      const snapshot = snapshotOf(80, [free, second], { destination: holding(950_000_000n) })
      expect(does(snapshot).filter((action) => action.startsWith('bid'))).toEqual(['bid 950000000'])
    }
  })

  it('starts nothing new while a chain does not answer or the operator stopped it', () => {
    const source = staking(0n)
    const snapshot = snapshotOf(110, [OPEN, { ...won, intentId: 3n }], { isWhole: false, source })
    expect(does(snapshot)).toEqual(['deliver'])
    const whole = snapshotOf(110, [OPEN, { ...won, intentId: 3n }], { source })
    expect(planRound(whole, policy, false).actions.map((action) => action.do)).toEqual(['deliver'])
    const running = [OPEN, { ...won, intentId: 3n }]
    expect(does(snapshotOf(80, running, { isWhole: false }))).toEqual(['deliver'])
    expect(planRound(snapshotOf(80, running), policy, false).actions).toMatchObject([
      { do: 'deliver' },
    ])
  })

  it('does not bid when gas runs low on a chain', () => {
    const poor = { native: 10n ** 16n - 1n }
    expect(skipped(snapshotOf(80, [OPEN], { source: poor }))).toEqual(['gas'])
    expect(skipped(snapshotOf(80, [OPEN], { destination: poor }))).toEqual(['gas'])
    // Obligations are met all the same.
    expect(does(snapshotOf(110, [won], { destination: poor }))).toEqual(['deliver'])
    const enough = { native: 10n ** 16n }
    expect(does(snapshotOf(80, [OPEN], { source: enough, destination: enough }))).toHaveLength(1)
  })

  it('does not bid when gas on a chain may soon cost more than it pays', () => {
    const atCap = { gasPriceCap: 10n ** 9n }
    expect(does(snapshotOf(80, [OPEN], { source: atCap, destination: atCap }))).toHaveLength(1)
    const dear = { native: 10n ** 20n, gasPriceCap: 10n ** 9n - 1n }
    expect(skipped(snapshotOf(80, [OPEN], { source: dear }))).toEqual(['gas'])
    expect(skipped(snapshotOf(80, [OPEN], { destination: dear }))).toEqual(['gas'])
    expect(does(snapshotOf(110, [won], { destination: dear }))).toEqual(['deliver'])
  })

  it('bids less by what gas costs at present on chains whose coins have a value', () => {
    const coins = { base_sepolia: '3000', horizen_testnet: '1000' }
    const exact = policyOf({ gas: { allowance: '0.5', perRecipient: '0.01', coins } })
    const many = { ...OPEN, recipientClass: 256, expectedAmountB: 900_000_000n }
    const at = {
      source: { likelyGasPrice: 2n * 10n ** 9n },
      destination: { likelyGasPrice: 10n ** 9n },
    }
    // 965.25 less 0.5, 0.01 for each of 200, 150,000 gas for 0.9, and 9,070,000 gas for 9.07.
    expect(does(snapshotOf(FINAL, [many], at), exact)).toEqual(['bid 952780000'])
    const dear = { ...at, destination: { likelyGasPrice: 8n * 10n ** 9n } }
    expect(skipped(snapshotOf(80, [many], dear), exact)).toEqual(['not_worth_it'])
    // Gas on a chain without a value counts by the allowance alone.
    const half = policyOf({ gas: { coins: { base_sepolia: '3000' } } })
    expect(does(snapshotOf(FINAL, [many], dear), half)).toEqual(['bid 964350000'])
  })

  it('withholds a delivery while it would lose more than the bond, if its policy says so', () => {
    // Paid 975 for 960, with a bond of 50: a delivery loses as much once its 115,000 gas cost 65.
    const coins = { horizen_testnet: '1000000' }
    const at = (likelyGasPrice: bigint, by: Policy) =>
      does(snapshotOf(110, [won], { destination: { likelyGasPrice } }), by)
    const careful = policyOf({ stopLoss: true, gas: { coins } })
    const price = (65n * 10n ** 12n) / 115_000n
    expect(at(price, careful)).toEqual(['deliver'])
    expect(at(price + 1n, careful)).toEqual([])
    expect(at(price + 1n, policyOf({ gas: { coins } }))).toEqual(['deliver'])
    expect(at(price + 1n, { ...careful, isStale: true })).toEqual(['deliver'])
    expect(
      skipped(snapshotOf(110, [won], { destination: { likelyGasPrice: 10n ** 9n } }), careful),
    ).toEqual(['loss'])
    // A price that has collapsed.
    const sold: IntentSnapshot = { ...won, tokenA: WETH, amountA: 10n ** 18n / 3n }
    const collapsed = policyOf({ stopLoss: true, prices: { USDC: '1', WETH: '2700' } })
    expect(does(snapshotOf(110, [sold], {}), policyOf({ stopLoss: true }))).toEqual(['deliver'])
    expect(does(snapshotOf(110, [sold], {}), collapsed)).toEqual([])
    // Unless the pair has a rate of its own, by which we bid.
    const pairs = [{ tokenA: 'WETH', tokenB: 'USDC', rate: '3000' }]
    const own = policyOf({ stopLoss: true, prices: { USDC: '1', WETH: '2700' }, pairs })
    expect(does(snapshotOf(110, [sold], {}), own)).toEqual(['deliver'])
    const unserved = policyOf({
      stopLoss: true,
      prices: { USDC: '1', WETH: '2700' },
      pairs: [{ tokenA: 'WETH', tokenB: 'USDC', serve: false }],
    })
    expect(does(snapshotOf(110, [sold], {}), unserved)).toEqual([])
    // What has no price any more is delivered: nobody knows whether it loses.
    for (const prices of [{ WETH: '2700' }, { USDC: '1' }]) {
      const unpriced = policyOf({ stopLoss: true, prices, stakes: {} })
      expect(does(snapshotOf(110, [sold], {}), unpriced)).toEqual(['deliver'])
    }
  })

  it('asks for the recipients of a delivery that it withholds: silence about them must not cost the bond', () => {
    const careful = policyOf({ stopLoss: true, gas: { coins: { horizen_testnet: '1000000' } } })
    const dear = { destination: { likelyGasPrice: 10n ** 9n } }
    expect(does(snapshotOf(155, [won], dear), careful)).toEqual(['ask'])
    expect(skipped(snapshotOf(155, [won], dear), careful)).toEqual(['loss'])
    // Nothing is withheld that isn't due: it is being delivered, or it is too late.
    const pending = [about('deliver')]
    expect(skipped(snapshotOf(110, [won], { ...dear, pending }), careful)).toEqual([])
    expect(skipped(snapshotOf(250, [won], dear), careful)).toEqual([])
  })

  it('does not bid on a delivery that may need more gas than a block has', () => {
    const small = { blockGas: 12_499_999n }
    const many = { ...OPEN, recipientClass: 256 }
    expect(skipped(snapshotOf(80, [many], { destination: small }))).toEqual(['gas'])
    const enough = { blockGas: 12_500_000n }
    expect(does(snapshotOf(80, [many], { destination: enough }))).toEqual(['bid 950000000'])
    expect(does(snapshotOf(80, [OPEN], { destination: small }))).toEqual(['bid 950000000'])
  })

  it('bids on no more intents than its coins can deliver, as many recipients as they may have', () => {
    const many = { ...OPEN, recipientClass: 256 }
    const both = [many, { ...many, intentId: 2n }]
    // 200 recipients need 12,500,000 gas, at 10^9 wei.
    const native = 24n * 10n ** 15n
    expect(does(snapshotOf(80, both, { destination: { native } }))).toEqual(['bid 950000000'])
    expect(skipped(snapshotOf(80, both, { destination: { native } }))).toEqual(['gas'])
    expect(does(snapshotOf(80, both, { destination: { native: native + 10n ** 15n } }))).toEqual([
      'bid 950000000',
      'bid 950000000',
    ])
    // What it leads or has won comes first.
    const leading = { ...many, solver: US, amountB: 960_000_000n }
    const waiting = { ...leading, phase: 'deposited' as const, fillDeadline: 300 }
    for (const first of [leading, waiting])
      expect(skipped(snapshotOf(80, [first, both[1]!], { destination: { native } }))).toEqual([
        'gas',
      ])
    // Raising its own bid needs no more, and what is over needs none.
    expect(does(snapshotOf(FINAL, [leading], { destination: { native } }))).toHaveLength(1)
    for (const over of [{ delivery: delivered.delivery }, { fillDeadline: 80 }])
      expect(
        skipped(snapshotOf(80, [{ ...waiting, ...over }, both[1]!], { destination: { native } })),
      ).toEqual([])
  })

  it('bids on no more intents than its coins can deposit', () => {
    // A deposit needs 200,000 gas, at 10^11 wei.
    const at = (native: bigint) => ({
      source: { native, gasPrice: 10n ** 11n, gasPriceCap: 10n ** 11n },
    })
    const both = [OPEN, second]
    expect(does(snapshotOf(80, both, at(4n * 10n ** 16n)))).toHaveLength(2)
    expect(skipped(snapshotOf(80, both, at(4n * 10n ** 16n - 1n)))).toEqual(['gas'])
    expect(skipped(snapshotOf(80, [OPEN], at(2n * 10n ** 16n - 1n)))).toEqual(['gas'])
    const pending = [about('bid')]
    expect(skipped(snapshotOf(80, both, { ...at(4n * 10n ** 16n - 1n), pending }))).toEqual(['gas'])
    // Its own bid has the deposit's already.
    expect(does(snapshotOf(FINAL, [ours], at(2n * 10n ** 16n)))).toEqual(['bid 965250000'])
  })
})

describe('upkeep', () => {
  it('sets its sealing key before it stakes', () => {
    const source: Partial<ChainSnapshot> = { ...staking(0n), sealingKey: 'none' }
    expect(does(snapshotOf(80, [], { source }))).toEqual([`seal ${BASE}`])
    const pending: PendingTransaction[] = [{ kind: 'seal', chainId: BASE }]
    expect(does(snapshotOf(80, [], { source, pending }))).toEqual([])
    const other: PendingTransaction[] = [
      { kind: 'seal', chainId: HORIZEN },
      { kind: 'approve', chainId: BASE, token: USDC },
    ]
    expect(does(snapshotOf(80, [], { source, pending: other }))).toEqual([`seal ${BASE}`])
    expect(does(snapshotOf(80, [], { source }), policyOf({ stakes: {} }))).toEqual([])
  })

  it('spends no gas on it where coins are short, or where it isn’t to trade', () => {
    const source = { ...staking(0n), credits: new Map([[USDC, 5n]]) }
    const at = (native: bigint) => does(snapshotOf(80, [], { source: { ...source, native } }))
    expect(at(10n ** 16n)).toEqual(['claim', `stake ${BASE} 1000000000`])
    expect(at(10n ** 16n - 1n)).toEqual(['claim'])
    const chains = ['horizen_testnet']
    expect(does(snapshotOf(80, [], { source }), policyOf({ chains }))).toEqual(['claim'])
  })

  it('stakes the policy’s amount once the bridge is approved', () => {
    const source = { ...staking(400_000_000n), allowances: new Map([[USDC, 600_000_000n]]) }
    expect(does(snapshotOf(80, [], { source }))).toEqual([`stake ${BASE} 600000000`])
    const pending: PendingTransaction[] = [{ kind: 'stake', chainId: BASE, token: USDC }]
    expect(does(snapshotOf(80, [], { source, pending }))).toEqual([])
    const leaving: PendingTransaction[] = [{ kind: 'unstake', chainId: BASE, token: USDC }]
    expect(does(snapshotOf(80, [], { source, pending: leaving }))).toEqual([])
    const forbidden = { ...source, allowances: new Map([[USDC, 599_999_999n]]) }
    expect(does(snapshotOf(80, [], { source: forbidden }))).toEqual([`approve ${BASE}`])
  })

  it('has the tokens that it holds approved before its first bid', () => {
    const destination = { allowances: new Map([[USDC, 0n]]) }
    expect(does(snapshotOf(80, [], { destination }))).toEqual([`approve ${HORIZEN}`])
    const empty = { ...destination, balances: new Map([[USDC, 0n]]) }
    expect(does(snapshotOf(80, [], { destination: empty }))).toEqual([])
    expect(planRound(snapshotOf(80, [], { destination }), policy, false).actions).toEqual([])
  })

  it('never stakes tokens that a delivery needs', () => {
    const back = { ...won, sourceChainId: HORIZEN, destChainId: BASE, isConfirmed: false }
    const source = { ...staking(0n), balances: new Map([[USDC, 1_959_999_999n]]) }
    expect(does(snapshotOf(110, [back], { source }))).toEqual([])
    const enough = { ...source, balances: new Map([[USDC, 1_960_000_000n]]) }
    expect(does(snapshotOf(110, [back], { source: enough }))).toEqual([`stake ${BASE} 1000000000`])
  })

  it('withdraws excess stake that is neither locked nor reserved', () => {
    const source = staking(1_500_000_000n, 1_200_000_000n)
    expect(does(snapshotOf(80, [], { source }))).toEqual([`unstake ${BASE} 300000000`])
    const pending = [about('bid')]
    expect(does(snapshotOf(80, [OPEN], { source, pending }))).toEqual([`unstake ${BASE} 250000000`])
    const excess = staking(1_500_000_000n, 100n)
    expect(does(snapshotOf(80, [], { source: excess }))).toEqual([`unstake ${BASE} 500000000`])
    const leaving: PendingTransaction[] = [{ kind: 'unstake', chainId: BASE, token: USDC }]
    expect(does(snapshotOf(80, [], { source: excess, pending: leaving }))).toEqual([])
  })

  it('withdraws stakes, and adds none, while it is stopped', () => {
    const stopped = (source: object) =>
      planRound(snapshotOf(80, [], { source }), policy, false).actions.map((action) => action.do)
    expect(stopped(staking(1_500_000_000n))).toEqual(['unstake'])
    const lacking = { ...staking(400_000_000n), allowances: new Map([[USDC, 600_000_000n]]) }
    expect(stopped(lacking)).toEqual([])
    expect(stopped({ ...staking(1_500_000_000n), sealingKey: 'none' })).toEqual([])
  })

  it('claims credits that a settlement could not pay out', () => {
    const source = { credits: new Map([[USDC, 5n]]) }
    expect(does(snapshotOf(80, [], { source }))).toEqual(['claim'])
    expect(does(snapshotOf(80, [], { source: { credits: new Map([[USDC, 0n]]) } }))).toEqual([])
    const pending: PendingTransaction[] = [{ kind: 'claim', chainId: BASE, token: USDC }]
    expect(does(snapshotOf(80, [], { source, pending }))).toEqual([])
  })

  it('does not touch a stake that the policy does not name', () => {
    const source = staking(1_500_000_000n)
    expect(does(snapshotOf(80, [], { source }), policyOf({ stakes: {} }))).toEqual([])
  })
})

describe('limits of the policy', () => {
  const second: IntentSnapshot = { ...OPEN, intentId: 2n, endTime: 90 }

  it.each([
    ['one intent', { intent: '949' }, ['exposure', 'exposure']],
    ['one intent, just enough', { intent: '950' }, []],
    ['everything', { overall: '1999' }, ['exposure']],
    ['everything, just enough', { overall: '2000' }, []],
    ['a token', { tokens: { USDC: '1999.99' } }, ['exposure']],
    ['a token, just enough', { tokens: { USDC: '2000' } }, []],
  ])('apply to %s', (_, limits, expected) => {
    expect(skipped(snapshotOf(80, [OPEN, second]), policyOf({ limits }))).toEqual(expected)
  })

  it('apply to the whole bid when the solver raises its own', () => {
    const passesAt = (intent: string) =>
      skipped(snapshotOf(FINAL, [ours]), policyOf({ limits: { intent } }))
    expect(passesAt('965.24')).toEqual(['exposure'])
    expect(passesAt('965.25')).toEqual([])
  })

  it('include deliveries that are not settled yet', () => {
    const limited = policyOf({ limits: { overall: '1999' } })
    for (const unpaid of [delivered, { ...delivered, fillDeadline: 79 }])
      expect(skipped(snapshotOf(80, [unpaid, second]), limited)).toEqual(['exposure'])
    // What was never delivered can cost its bond at most.
    const bonds = policyOf({ limits: { overall: '1050' } })
    expect(skipped(snapshotOf(80, [{ ...won, fillDeadline: 79 }, second]), bonds)).toEqual([])
  })

  it('exclude pairs and chains that are not served', () => {
    const pairs = [{ tokenA: 'USDC', tokenB: 'USDC', serve: false }]
    expect(skipped(snapshotOf(80, [OPEN]), policyOf({ pairs }))).toEqual(['pair_not_served'])
    for (const chain of ['base_sepolia', 'horizen_testnet']) {
      const one = policyOf({ chains: [chain] })
      expect(skipped(snapshotOf(80, [OPEN]), one)).toEqual(['pair_not_served'])
    }
    const prices = { WETH: '3000' }
    const unpriced = policyOf({ prices, stakes: {} })
    expect(skipped(snapshotOf(80, [OPEN]), unpriced)).toEqual(['pair_not_served'])
  })
})

describe('once the auction is over', () => {
  it('deposits its bid in either window', () => {
    expect(does(snapshotOf(99, [ours]))).toEqual([])
    for (const time of [100, 109, 110, 119])
      expect(does(snapshotOf(time, [ours]))).toEqual(['deposit 960000000'])
    expect(does(snapshotOf(120, [ours]))).toEqual([])
    expect(does(snapshotOf(105, [ours], { pending: [about('deposit')] }))).toEqual([])
  })

  it('has the chain produce a block that shows it, before it deposits', () => {
    const at = (clock: number) => snapshotOf(90, [ours], { source: { clock, blockNumber: 7n } })
    expect(does(at(99))).toEqual([])
    for (const clock of [100, 119]) {
      const { actions } = planRound(at(clock), policy)
      expect(actions).toEqual([{ do: 'block', chainId: BASE, after: 7n }])
    }
    expect(does(at(120))).toEqual([])
    expect(does({ ...at(100), pending: [about('deposit')] })).toEqual([])
    expect(does(snapshotOf(90, [rivals(951_000_000n)], { source: { clock: 118 } }))).toEqual([])
  })

  it('deposits even if the destination chain does not answer, since it would lose the lock', () => {
    const { chains, ...snapshot } = snapshotOf(105, [ours], { isWhole: false })
    const answering = new Map([...chains].filter(([chainId]) => chainId === BASE))
    expect(does({ ...snapshot, chains: answering })).toEqual(['deposit 960000000'])
    const deposited = { ...snapshot, chains: answering, intents: [won] }
    expect(does(deposited)).toEqual([])
  })

  it('picks up an abandoned intent in the second window, once the price has fallen to its worth', () => {
    const left = rivals(970_000_000n)
    expect(does(snapshotOf(105, [left]))).toEqual([])
    // Only the best bidder may, in the first window, however low its bid.
    expect(does(snapshotOf(109, [rivals(951_000_000n)]))).toEqual([])
    expect(does(snapshotOf(115, [{ ...left, phase: 'deposited', fillDeadline: 300 }]))).toEqual([])
    expect(skipped(snapshotOf(114, [left]))).toEqual(['not_worth_it'])
    // A hundredth over ten seconds: 4.85 less after five.
    expect(does(snapshotOf(115, [left]))).toEqual(['deposit 965150000'])
    expect(does(snapshotOf(118, [left]))).toEqual(['deposit 962240000'])
    expect(does(snapshotOf(119, [left]))).toEqual([])
    expect(does(snapshotOf(110, [rivals(965_250_000n)]))).toEqual(['deposit 965250000'])
    expect(does(snapshotOf(115, [OPEN]))).toEqual([])
    expect(does(snapshotOf(115, [left]), policyOf({ rescue: false }))).toEqual([])
  })

  it('pays at least what the sender expects, and ignores a spoiler’s bid', () => {
    const low = { ...rivals(951_000_000n), expectedAmountB: 950_000_000n }
    expect(does(snapshotOf(118, [low]))).toEqual(['deposit 950000000'])
    expect(skipped(snapshotOf(118, [rivals(9_500_000_000n)]))).toEqual(['not_worth_it'])
    const dear = { ...rivals(971_000_000n), expectedAmountB: 970_000_000n }
    expect(skipped(snapshotOf(118, [dear]))).toEqual(['not_worth_it'])
  })

  it('does not pick up without free stake', () => {
    const source = staking(BOND - 1n)
    expect(skipped(snapshotOf(118, [rivals(951_000_000n)], { source }))).toEqual(['stake'])
  })
})

describe('after winning', () => {
  it('delivers once its deposit is confirmed', () => {
    expect(does(snapshotOf(110, [{ ...won, isConfirmed: false }]))).toEqual([])
    expect(does(snapshotOf(110, [won]))).toEqual(['deliver'])
    expect(does(snapshotOf(110, [won], { pending: [about('deliver')] }))).toEqual([])
  })

  it('asks for the recipients on chain once, in the second quarter', () => {
    // Deposited at 100, the window is 200 long.
    expect(does(snapshotOf(149, [won]))).toEqual(['deliver'])
    expect(does(snapshotOf(150, [won]))).toEqual(['ask', 'deliver'])
    expect(does(snapshotOf(197, [won]))).toEqual(['ask', 'deliver'])
    expect(does(snapshotOf(198, [won]))).toEqual(['deliver'])
    for (const known of [{ asked: true }, { revealed: true }])
      expect(does(snapshotOf(150, [{ ...won, ...known }]))).toEqual(['deliver'])
    expect(does(snapshotOf(150, [won], { pending: [about('ask')] }))).toEqual(['deliver'])
    expect(does(snapshotOf(150, [won], { pending: [about('deliver')] }))).toEqual([])
    expect(
      does(snapshotOf(150, [{ ...won, delivery: { chain2IntentId: 7n, isConfirmed: false } }])),
    ).toEqual([])
  })

  it('has the chain produce a block in which it can ask', () => {
    const silent = snapshotOf(140, [won], { source: { clock: 150 } })
    expect(does(silent)).toEqual(['block', 'deliver'])
    expect(does({ ...silent, pending: [about('ask')] })).toEqual(['deliver'])
  })

  it('asks later while its deposit is unconfirmed', () => {
    const shallow = { ...won, isConfirmed: false }
    expect(does(snapshotOf(174, [shallow]))).toEqual([])
    expect(does(snapshotOf(175, [shallow]))).toEqual(['ask'])
  })

  it('starts no delivery that could miss the deadline by the destination’s clock', () => {
    const asked = { ...won, asked: true }
    expect(does(snapshotOf(239, [asked]))).toEqual(['deliver'])
    expect(does(snapshotOf(240, [asked]))).toEqual([])
    expect(does(snapshotOf(239, [asked], { destination: { time: 240 } }))).toEqual([])
    expect(does(snapshotOf(400, [asked], { destination: { time: 239 } }))).toEqual(['deliver'])
  })

  it('requests settlement once the delivery is confirmed, however late', () => {
    const fresh = { ...won, delivery: { chain2IntentId: 7n, isConfirmed: false } }
    expect(does(snapshotOf(120, [fresh]))).toEqual([])
    expect(does(snapshotOf(120, [delivered]))).toEqual(['settle'])
    expect(does(snapshotOf(999, [delivered]))).toEqual(['settle'])
  })

  it('does nothing about intents that are over or that others won', () => {
    expect(does(snapshotOf(120, [{ ...won, phase: 'settled' }]))).toEqual([])
    expect(does(snapshotOf(120, [{ ...won, solver: RIVAL }]))).toEqual([])
  })
})

describe('in any market', () => {
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
  const worlds = fc.record({
    intents,
    balanceA: usd(2_000),
    balanceB: usd(6_000),
    staked: usd(300),
    time: fc.nat(160),
  })

  function snapshotFrom({
    intents: drawn,
    balanceA,
    balanceB,
    staked,
    time,
  }: typeof worlds extends fc.Arbitrary<infer W> ? W : never) {
    const seen = drawn.map((one, at): IntentSnapshot => {
      const { holder, surplus, swapped, ...terms } = one
      const phase = holder === null && one.phase === 'deposited' ? 'open' : one.phase
      const [from, to] = swapped ? [HORIZEN, BASE] : [BASE, HORIZEN]
      return {
        ...OPEN,
        ...terms,
        phase: phase as IntentSnapshot['phase'],
        intentId: BigInt(at + 1),
        sourceChainId: from,
        destChainId: to,
        solver: holder,
        amountB: holder === null ? 0n : terms.expectedAmountB + surplus,
        fillDeadline: phase === 'deposited' ? 150 : 0,
        isConfirmed: true,
      }
    })
    return snapshotOf(time, seen, {
      source: { balances: new Map([[USDC, balanceA]]), ...staking(staked) },
      destination: { balances: new Map([[USDC, balanceB]]), ...staking(staked) },
    })
  }

  it('never commits more than its unreserved funds', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotFrom(world)
        const taken = new Map<number, { lock: bigint; amount: bigint }>()
        const take = (chainId: number, lock: bigint, amount: bigint) => {
          const before = taken.get(chainId) ?? { lock: 0n, amount: 0n }
          taken.set(chainId, { lock: before.lock + lock, amount: before.amount + amount })
        }
        for (const action of planRound(snapshot, policy).actions) {
          if (action.do === 'stake') take(action.chainId, 0n, action.amount)
          if (action.do === 'unstake') take(action.chainId, action.amount, 0n)
          if (action.do !== 'bid' && action.do !== 'deposit') continue
          const { intent, amountB } = action
          const isOurs = intent.solver === US
          // Reserved since the bid.
          if (action.do === 'deposit' && isOurs) continue
          const escrow = intent.amountA + intent.reward
          take(intent.sourceChainId, isOurs ? 0n : (escrow * 500n) / 10_000n, 0n)
          take(intent.destChainId, 0n, isOurs ? amountB - intent.amountB : amountB)
        }
        for (const [chainId, { lock, amount }] of taken) {
          const { balances, stakes } = snapshot.chains.get(chainId)!
          const bound = snapshot.intents
            .filter(({ destChainId }) => destChainId === chainId)
            .reduce(
              (sum, one) => sum + (calculateReservedFunds(one, snapshot)?.reservedAmount ?? 0n),
              0n,
            )
          if (amount > 0n) expect(amount + bound <= balances.get(USDC)!).toBe(true)
          expect(lock <= stakes.get(USDC)!.total).toBe(true)
        }
      }),
      { seed: 41, numRuns: 1_000 },
    )
  })

  it('places only valid bids, at least the margin below the payout', () => {
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

it('converts tokens at the ratio of their prices, whatever their decimals', () => {
  const swap = { ...OPEN, tokenB: WETH, expectedAmountB: 10n ** 17n }
  // 975 USDC less 1 % at 3,000: 0.32175 WETH.
  expect(
    does(snapshotOf(FINAL, [{ ...swap, solver: RIVAL, amountB: 321_749_999_999_999_999n }])),
  ).toEqual(['bid 321750000000000000'])
  const pairs = [{ tokenA: 'USDC', tokenB: 'WETH', rate: '0.0005', marginBps: 0 }]
  expect(
    does(
      snapshotOf(FINAL, [{ ...swap, solver: RIVAL, amountB: 487_499_999_999_999_999n }]),
      policyOf({ pairs }),
    ),
  ).toEqual(['bid 487500000000000000'])
})

it('deducts the gas for as many recipients as there may be', () => {
  const gas = { allowance: '2.5', perRecipient: '0.25' }
  const bidOf = (recipientClass: number) =>
    does(snapshotOf(FINAL, [{ ...OPEN, recipientClass }]), policyOf({ gas }))
  expect(bidOf(1)).toEqual(['bid 962500000'])
  expect(bidOf(32)).toEqual(['bid 954750000'])
  expect(skipped(snapshotOf(FINAL, [{ ...OPEN, recipientClass: 64 }]), policyOf({ gas }))).toEqual([
    'not_worth_it',
  ])
})

it('looks at each pending transaction a few times, however many intents there are', () => {
  const many = Array.from({ length: 300 }, (_, at) => ({ ...OPEN, intentId: BigInt(at) }))
  let looks = 0
  const pending = many.map(({ intentId }) => ({
    ...about('bid'),
    get intentId() {
      looks += 1
      return intentId
    },
  }))
  expect(skipped(snapshotOf(80, many, { pending }))).toEqual([])
  expect(looks).toBeLessThan(10 * many.length)
})
