import { findChainId } from '../../../core/chain/chainNames.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import { describeZodError } from '../../config/describeZodError.ts'
import { divide, type Fraction, multiplyDown, parseFraction } from './fraction.ts'
import {
  type Pair,
  type PairTerms,
  type Policy,
  type PricedToken,
  tokenKey,
  VALUE_SCALE,
} from './policy.ts'
import { type ParsedPolicy, policySchema } from './policySchema.ts'

const COIN_DECIMALS = 18
/** Wei in one native coin. */
const COIN = 10n ** BigInt(COIN_DECIMALS)

/** A pair's exception; a null chain means any. */
type PairRule = ParsedPolicy['pairs'][number] & { from: number | null; to: number | null }

/**
 * Resolves a policy file against the configured chains.
 *
 * @param source the file's path, for messages
 * @throws ConfigurationError listing all problems
 */
export function resolvePolicyFile(
  json: unknown,
  chains: readonly ChainConfig[],
  source: string,
): Policy {
  const parsed = policySchema.safeParse(json)
  const at = (problem: string) => `SOLVER_POLICY (${source}): ${problem}`
  if (!parsed.success) throw new ConfigurationError(describeZodError(parsed.error).map(at))
  const problems = findPolicyProblems(parsed.data, chains)
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
  const value = (text: string) => multiplyDown(VALUE_SCALE, parseFraction(text))
  return {
    chains: new Set(
      file.chains?.map((name) => idOf(name, chains)) ?? chains.map(({ chainId }) => chainId),
    ),
    tokens,
    termsFor: (pair) => termsFor(rules, file.marginBps, tokens, pair),
    intentLimit: limits.intent === undefined ? null : value(limits.intent),
    overallLimit: limits.overall === undefined ? null : value(limits.overall),
    forfeitLimit: limits.forfeited === undefined ? null : value(limits.forfeited),
    gasAllowance: value(gas.allowance),
    gasPerRecipient: value(gas.perRecipient),
    weiPrices: new Map(
      Object.entries(gas.coins).map(([name, price]) => [
        idOf(name, chains),
        perBaseUnit(parseFraction(price), COIN_DECIMALS),
      ]),
    ),
    gasReserve: multiplyDown(COIN, parseFraction(gas.reserve)),
    finalBlocks: bidding.finalBlocks,
    rescue: file.rescue,
    stopLoss: file.stopLoss,
    deliverySafetySeconds: file.deliverySafetySeconds,
    maxAgeMs: file.maxAgeSeconds === undefined ? null : file.maxAgeSeconds * 1_000,
    isStale: false,
    isFromBefore: false,
  }
}

/** The id of a chain whose name was checked before. */
function idOf(name: string, chains: readonly ChainConfig[]): number {
  return findChainByName(chains, name)?.chainId ?? 0
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
        chainId,
        address,
        symbol,
        decimals,
        price: perBaseUnit(parseFraction(price), decimals),
        maxExposure: limit === undefined ? null : wholeTokenValue(limit, price),
        stake: stake === undefined ? null : inUnits(stake, decimals),
      })
    }
  }
  return tokens
}

/** The value of whole tokens, in millionths. */
function wholeTokenValue(amount: string, price: string): bigint {
  const [whole, each] = [parseFraction(amount), parseFraction(price)]
  return multiplyDown(multiplyDown(VALUE_SCALE, whole), each)
}

/** Whole tokens in base units. */
function inUnits(amount: string, decimals: number): bigint {
  return multiplyDown(10n ** BigInt(decimals), parseFraction(amount))
}

function perBaseUnit({ numerator, denominator }: Fraction, decimals: number): Fraction {
  return { numerator, denominator: denominator * 10n ** BigInt(decimals) }
}

function termsFor(
  rules: readonly PairRule[],
  defaultMargin: number,
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
      ? divide(tokenA.price, tokenB.price)
      : inBaseUnits(parseFraction(rule.rate), tokenA, tokenB)
  return { rate, marginBps: rule?.marginBps ?? defaultMargin }
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

/** Unknown names in a policy: mostly typos, and any of them would silently change the risk. */
function findPolicyProblems(file: ParsedPolicy, chains: readonly ChainConfig[]): string[] {
  const known = new Set(chains.flatMap(({ tokens = {} }) => Object.keys(tokens)))
  const unknownChain = (name: string | undefined, path: string) =>
    name !== undefined && !findChainByName(chains, name)
      ? [`${path}: no chain "${name}" is configured`]
      : []
  const unpriced = (symbol: string, path: string) =>
    file.prices[symbol] === undefined ? [`${path}: "${symbol}" has no price`] : []
  return [
    ...(file.chains ?? []).flatMap((name, at) => unknownChain(name, `chains[${at}]`)),
    ...Object.keys(file.prices)
      .filter((symbol) => !known.has(symbol))
      .map((symbol) => `prices.${symbol}: no configured chain has this token`),
    ...Object.keys(file.limits.tokens).flatMap((symbol) =>
      unpriced(symbol, `limits.tokens.${symbol}`),
    ),
    ...Object.keys(file.stakes).flatMap((symbol) => unpriced(symbol, `stakes.${symbol}`)),
    ...Object.keys(file.gas.coins).flatMap((name) => unknownChain(name, `gas.coins.${name}`)),
    ...file.pairs.flatMap((rule, at) => [
      ...unpriced(rule.tokenA, `pairs[${at}].tokenA`),
      ...unpriced(rule.tokenB, `pairs[${at}].tokenB`),
      ...unknownChain(rule.sourceChain, `pairs[${at}].sourceChain`),
      ...unknownChain(rule.destChain, `pairs[${at}].destChain`),
    ]),
  ]
}

/** A configured chain by its name or an alias. */
function findChainByName(chains: readonly ChainConfig[], name: string): ChainConfig | undefined {
  const chainId = findChainId(name)
  return chains.find((chain) => chain.name === name || chain.chainId === chainId)
}
