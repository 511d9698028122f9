import { chainIdOf } from '../../../core/chain/names.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { ParsedPolicy } from './policySchema.ts'

/** Unknown names: mostly typing errors, each of which would silently change the risk. */
export function policyProblems(file: ParsedPolicy, chains: readonly ChainConfig[]): string[] {
  const known = new Set(chains.flatMap(({ tokens = {} }) => Object.keys(tokens)))
  const unknownChain = (name: string | undefined, place: string) =>
    name !== undefined && !chainNamed(chains, name)
      ? [`${place}: no chain "${name}" is configured`]
      : []
  const unpriced = (symbol: string, place: string) =>
    file.prices[symbol] === undefined ? [`${place}: "${symbol}" has no price`] : []
  return [
    ...(file.chains ?? []).flatMap((name, at) => unknownChain(name, `chains[${at}]`)),
    ...Object.keys(file.prices)
      .filter((symbol) => !known.has(symbol))
      .map((symbol) => `prices.${symbol}: no configured chain has this token`),
    ...Object.keys(file.limits.tokens).flatMap((symbol) =>
      unpriced(symbol, `limits.tokens.${symbol}`),
    ),
    ...Object.keys(file.stakes).flatMap((symbol) => unpriced(symbol, `stakes.${symbol}`)),
    ...file.pairs.flatMap((rule, at) => [
      ...unpriced(rule.tokenA, `pairs[${at}].tokenA`),
      ...unpriced(rule.tokenB, `pairs[${at}].tokenB`),
      ...unknownChain(rule.sourceChain, `pairs[${at}].sourceChain`),
      ...unknownChain(rule.destChain, `pairs[${at}].destChain`),
    ]),
  ]
}

/** The configured chain of this name, or of the name that this one is an alias of. */
export function chainNamed(chains: readonly ChainConfig[], name: string): ChainConfig | undefined {
  const chainId = chainIdOf(name)
  return chains.find((chain) => chain.name === name || chain.chainId === chainId)
}
