import type { ChainConfig } from '../../config/chains.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import { describeZodError } from '../../config/describeZodError.ts'
import { type Fraction, fractionOf, quotient, timesDown } from './fraction.ts'
import {
  type Pair,
  type PairTerms,
  type Policy,
  type PricedToken,
  tokenKey,
  VALUE_SCALE,
} from './policy.ts'
import { chainNamed, policyProblems } from './policyProblems.ts'
import { type ParsedPolicy, policySchema } from './policySchema.ts'

/** Wei in one native coin. */
const COIN = 10n ** 18n

/** An exception of the file; null: any chain. */
type PairRule = ParsedPolicy['pairs'][number] & { from: number | null; to: number | null }

/**
 * The policy that a file's JSON describes, for these chains.
 *
 * @param source the file's path, for messages
 * @throws ConfigurationError listing everything that is wrong at once
 */
export function createPolicy(
  json: unknown,
  chains: readonly ChainConfig[],
  source: string,
): Policy {
  const parsed = policySchema.safeParse(json)
  const at = (problem: string) => `SOLVER_POLICY (${source}): ${problem}`
  if (!parsed.success) throw new ConfigurationError(describeZodError(parsed.error).map(at))
  const problems = policyProblems(parsed.data, chains)
  if (problems.length > 0) throw new ConfigurationError(problems.map(at))
  return resolve(parsed.data, chains)
}

function resolve(file: ParsedPolicy, chains: readonly ChainConfig[]): Policy {
  const tokens = pricedTokens(file, chains)
  const { limits, gas, bidding } = file
  const rules = file.pairs.map((rule) => ({
    ...rule,
    from: rule.sourceChain === undefined ? null : idOf(rule.sourceChain, chains),
    to: rule.destChain === undefined ? null : idOf(rule.destChain, chains),
  }))
  const value = (text: string) => timesDown(VALUE_SCALE, fractionOf(text))
  return {
    chains: new Set(
      file.chains?.map((name) => idOf(name, chains)) ?? chains.map(({ chainId }) => chainId),
    ),
    tokens,
    termsFor: (pair) => termsFor(rules, file.marginBps, tokens, pair),
    intentLimit: limits.intent === undefined ? null : value(limits.intent),
    overallLimit: limits.overall === undefined ? null : value(limits.overall),
    gasAllowance: value(gas.allowance),
    gasPerRecipient: value(gas.perRecipient),
    gasReserve: timesDown(COIN, fractionOf(gas.reserve)),
    finalBlocks: bidding.finalBlocks,
    rescue: file.rescue,
    deliverySafetySeconds: file.deliverySafetySeconds,
  }
}

/** The names were checked: each is configured. */
function idOf(name: string, chains: readonly ChainConfig[]): number {
  return chainNamed(chains, name)?.chainId ?? 0
}

function pricedTokens(
  file: ParsedPolicy,
  chains: readonly ChainConfig[],
): ReadonlyMap<string, PricedToken> {
  const tokens = new Map<string, PricedToken>()
  for (const { chainId, tokens: configured = {} } of chains) {
    for (const [symbol, { address, decimals }] of Object.entries(configured)) {
      const price = file.prices[symbol]
      if (price === undefined) continue
      const limit = file.limits.tokens[symbol]
      const stake = file.stakes[symbol]
      tokens.set(tokenKey(chainId, address), {
        ...{ chainId, address, symbol, decimals },
        price: perBaseUnit(fractionOf(price), decimals),
        maxExposure: limit === undefined ? null : valueOfWhole(limit, price),
        stake: stake === undefined ? null : inUnits(stake, decimals),
      })
    }
  }
  return tokens
}

/** Millionths of value of so many whole tokens. */
function valueOfWhole(amount: string, price: string): bigint {
  const [whole, each] = [fractionOf(amount), fractionOf(price)]
  return timesDown(timesDown(VALUE_SCALE, whole), each)
}

/** Base units of so many whole tokens. */
function inUnits(amount: string, decimals: number): bigint {
  return timesDown(10n ** BigInt(decimals), fractionOf(amount))
}

function perBaseUnit({ numerator, denominator }: Fraction, decimals: number): Fraction {
  return { numerator, denominator: denominator * 10n ** BigInt(decimals) }
}

function termsFor(
  rules: readonly PairRule[],
  usualMargin: number,
  tokens: ReadonlyMap<string, PricedToken>,
  pair: Pair,
): PairTerms | null {
  const tokenA = tokens.get(tokenKey(pair.sourceChainId, pair.tokenA))
  const tokenB = tokens.get(tokenKey(pair.destChainId, pair.tokenB))
  if (!tokenA || !tokenB) return null
  const rule = rules.find((candidate) => fits(candidate, tokenA, tokenB))
  if (rule?.serve === false) return null
  const rate =
    rule?.rate === undefined
      ? quotient(tokenA.price, tokenB.price)
      : inBaseUnits(fractionOf(rule.rate), tokenA, tokenB)
  return { rate, marginBps: rule?.marginBps ?? usualMargin }
}

function fits(rule: PairRule, tokenA: PricedToken, tokenB: PricedToken): boolean {
  const { from, to } = rule
  return (
    rule.tokenA === tokenA.symbol &&
    rule.tokenB === tokenB.symbol &&
    (from === null || from === tokenA.chainId) &&
    (to === null || to === tokenB.chainId)
  )
}

function inBaseUnits(rate: Fraction, tokenA: PricedToken, tokenB: PricedToken): Fraction {
  return {
    numerator: rate.numerator * 10n ** BigInt(tokenB.decimals),
    denominator: rate.denominator * 10n ** BigInt(tokenA.decimals),
  }
}
