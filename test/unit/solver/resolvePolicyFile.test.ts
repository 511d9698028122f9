import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../services/config/configurationError.ts'
import { findPolicyRisks } from '../../../services/solver/policy/findPolicyRisks.ts'
import {
  multiplyDown,
  multiplyUp,
  parseFraction,
} from '../../../services/solver/policy/fraction.ts'
import { resolvePolicyFile } from '../../../services/solver/policy/resolvePolicyFile.ts'
import { BASE, CHAINS, HORIZEN, POLICY_FILE, policyOf, USDC, WETH } from './solverTestbed.ts'

function problemsOf(json: unknown): readonly string[] {
  try {
    resolvePolicyFile(json, CHAINS, 'policy.json')
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as ConfigurationError).problems
  }
}

describe('a policy file', () => {
  it('reports all its problems at once', () => {
    const found = problemsOf({
      prices: { USDC: 1, WETH: '-3' },
      marginBps: 10_001,
      margin: 3,
    })
    expect(found).toHaveLength(4)
    for (const place of ['prices.USDC', 'prices.WETH', 'marginBps', 'margin'])
      expect(found.join('\n')).toContain(place)
  })

  it('must not name unknown tokens and chains', () => {
    const found = problemsOf({
      ...POLICY_FILE,
      chains: ['base_sepolia', 'basse_sepolia'],
      prices: { ...POLICY_FILE.prices, USDD: '1' },
      limits: { tokens: { ZEN: '5' } },
      pairs: [{ tokenA: 'USDC', tokenB: 'DAI', destChain: 'nowhere' }],
      gas: { coins: { elsewhere: '3000' } },
    })
    expect(found).toEqual([
      'SOLVER_POLICY (policy.json): chains[1]: no chain "basse_sepolia" is configured',
      'SOLVER_POLICY (policy.json): prices.USDD: no configured chain has this token',
      'SOLVER_POLICY (policy.json): limits.tokens.ZEN: "ZEN" has no price',
      'SOLVER_POLICY (policy.json): gas.coins.elsewhere: no chain "elsewhere" is configured',
      'SOLVER_POLICY (policy.json): pairs[0].tokenB: "DAI" has no price',
      'SOLVER_POLICY (policy.json): pairs[0].destChain: no chain "nowhere" is configured',
    ])
  })

  it('serves all configured chains by default, or those it names, aliases included', () => {
    expect([...policyOf().chains]).toEqual([BASE, HORIZEN])
    expect([...policyOf({ chains: ['base_testnet'] }).chains]).toEqual([BASE])
  })

  it('applies the first matching exception', () => {
    const policy = policyOf({
      pairs: [
        { tokenA: 'USDC', tokenB: 'WETH', sourceChain: 'horizen_testnet', serve: false },
        { tokenA: 'USDC', tokenB: 'WETH', marginBps: 7 },
      ],
    })
    const pair = { sourceChainId: BASE, destChainId: HORIZEN, tokenA: USDC, tokenB: WETH }
    expect(policy.termsFor(pair)?.marginBps).toBe(7)
    expect(policy.termsFor({ ...pair, sourceChainId: HORIZEN, destChainId: BASE })).toBeNull()
    expect(policy.termsFor({ ...pair, tokenB: USDC })?.marginBps).toBe(100)
    expect(policy.termsFor({ ...pair, tokenA: '0x99' })).toBeNull()
  })

  it('counts value in millionths and gas in wei', () => {
    const policy = policyOf({
      limits: { intent: '10.5', overall: '2000000', tokens: { WETH: '0.5' } },
      gas: { allowance: '0.05', reserve: '0.25' },
    })
    expect(policy.intentLimit).toBe(10_500_000n)
    expect(policy.overallLimit).toBe(2_000_000_000_000n)
    expect(policy.gasAllowance).toBe(50_000n)
    expect(policy.gasReserve).toBe(25n * 10n ** 16n)
    expect(policy.tokens.get(`${BASE}/${WETH}`)?.maxExposure).toBe(1_500_000_000n)
  })
})

describe('fractions', () => {
  it('are exact', () => {
    expect(parseFraction('3000.25')).toEqual({ numerator: 300_025n, denominator: 100n })
    expect(multiplyDown(10n, parseFraction('0.35'))).toBe(3n)
    expect(multiplyUp(10n, parseFraction('0.35'))).toBe(4n)
    expect(multiplyUp(20n, parseFraction('0.35'))).toBe(7n)
    for (const wrong of ['', '-1', '1e3', '.5', '5.', '0x1', '1 '])
      expect(() => parseFraction(wrong)).toThrow(RangeError)
  })
})

describe('what a policy leaves open', () => {
  const ETHEREUM = { chainId: 1, name: 'ethereum_mainnet' }
  const POLYGON = { chainId: 137, name: 'polygon_mainnet' }
  const price = { numerator: 1n, denominator: 1n }
  const open = { chains: new Set([BASE, 1, 137]), weiPrices: new Map(), forfeitLimit: null }

  it('is named for chains with money on which it bids', () => {
    const risks = findPolicyRisks(open, [...CHAINS, ETHEREUM, POLYGON])
    expect(risks).toEqual([
      expect.stringContaining('gas.coins lacks ethereum_mainnet, polygon_mainnet:'),
      expect.stringContaining('limits.forfeited'),
    ])
    const onEthereum = { ...open, chains: new Set([1]) }
    expect(findPolicyRisks(onEthereum, [ETHEREUM, POLYGON])[0]).toContain('lacks ethereum_mainnet:')
  })

  it('is nothing on test networks, or with a coin’s value and a limit', () => {
    expect(findPolicyRisks(open, CHAINS)).toEqual([])
    const closed = { ...open, weiPrices: new Map([[1, price]]), forfeitLimit: 0n }
    expect(findPolicyRisks(closed, [ETHEREUM])).toEqual([])
  })
})
