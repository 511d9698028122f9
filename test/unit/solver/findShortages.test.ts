import { expect, test } from 'vitest'
import { findShortages } from '../../../services/solver/plan/findShortages.ts'
import { BASE, HORIZEN, policyOf, snapshotOf, USDC, WETH } from './solverTestbed.ts'

const POLICY = policyOf({ gas: { allowance: '0', perRecipient: '0', reserve: '0.02' } })
const unstaked = new Map([USDC, WETH].map((token) => [token, { total: 0n, locked: 0n }] as const))

test('an account that the policy’s stakes and reserve fit lacks nothing', () => {
  expect(findShortages(snapshotOf(0, []), POLICY)).toEqual([])
  expect(findShortages(snapshotOf(0, [], { source: { stakes: unstaked } }), POLICY)).toEqual([])
  const source = { native: 20_000_000_000_000_000n }
  expect(findShortages(snapshotOf(0, [], { source }), POLICY)).toEqual([])
})

test('a chain without coins is named, and nothing else of it', () => {
  const source = { native: 19_999_999_999_999_999n, balances: new Map(), stakes: unstaked }
  expect(findShortages(snapshotOf(0, [], { source }), POLICY)).toEqual([
    { chainId: BASE, symbol: null, holds: source.native, needs: 20_000_000_000_000_000n },
  ])
})

test('a token is named whose balance doesn’t complete the stake', () => {
  const balances = new Map([
    [USDC, 299_999_999n],
    [WETH, 10n ** 18n],
  ])
  const stakes = new Map([
    [USDC, { total: 700_000_000n, locked: 0n }],
    [WETH, { total: 0n, locked: 0n }],
  ])
  const destination = { balances, stakes }
  const lacking = { chainId: HORIZEN, symbol: 'USDC', holds: 299_999_999n, needs: 300_000_000n }
  expect(findShortages(snapshotOf(0, [], { destination }), POLICY)).toEqual([lacking])
  const pending = [{ kind: 'stake' as const, chainId: HORIZEN, token: USDC }]
  expect(findShortages(snapshotOf(0, [], { destination, pending }), POLICY)).toEqual([])
})

test('what a token or a chain of another policy lacks doesn’t matter, nor what a node doesn’t answer', () => {
  const destination = { balances: new Map(), stakes: new Map(), native: 0n }
  const elsewhere = policyOf({ chains: ['base_sepolia'], stakes: {} })
  expect(findShortages(snapshotOf(0, [], { destination }), elsewhere)).toEqual([])
  const silent = { ...destination, native: 10n ** 18n }
  expect(findShortages(snapshotOf(0, [], { destination: silent }), POLICY)).toEqual([])
  const halfSilent = { stakes: new Map() }
  expect(findShortages(snapshotOf(0, [], { destination: halfSilent }), POLICY)).toEqual([])
  const tokens = new Map([...POLICY.tokens].filter(([, { chainId }]) => chainId === BASE))
  const poor = { balances: new Map([[USDC, 0n]]), stakes: unstaked }
  const source = { balances: poor.balances }
  expect(
    findShortages(snapshotOf(0, [], { destination: poor, source }), { ...POLICY, tokens }),
  ).toEqual([])
})
