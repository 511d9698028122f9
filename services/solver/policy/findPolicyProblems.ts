import { findChainId } from '../../../core/chain/chainNames.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ParsedPolicy } from './policySchema.ts'

/** Unknown names in a policy: mostly typos, and any of them would silently change the risk. */
export function findPolicyProblems(file: ParsedPolicy, chains: readonly ChainConfig[]): string[] {
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
    ...file.pairs.flatMap((rule, at) => [
      ...unpriced(rule.tokenA, `pairs[${at}].tokenA`),
      ...unpriced(rule.tokenB, `pairs[${at}].tokenB`),
      ...unknownChain(rule.sourceChain, `pairs[${at}].sourceChain`),
      ...unknownChain(rule.destChain, `pairs[${at}].destChain`),
    ]),
  ]
}

/** A configured chain by its name or an alias. */
export function findChainByName(
  chains: readonly ChainConfig[],
  name: string,
): ChainConfig | undefined {
  const chainId = findChainId(name)
  return chains.find((chain) => chain.name === name || chain.chainId === chainId)
}
