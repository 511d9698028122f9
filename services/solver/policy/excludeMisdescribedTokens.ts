import type { ChainSnapshot } from '../plan/solverSnapshot.ts'
import type { Policy, PricedToken } from './policy.ts'

/**
 * The policy without the tokens whose own decimals aren't those of the chains file, whether that is wrong or the token has
 * changed: our prices would be wrong by powers of ten.
 *
 * @param onExcluded called for each, with the token's own decimals
 */
export function excludeMisdescribedTokens(
  policy: Policy,
  chains: ReadonlyMap<number, Pick<ChainSnapshot, 'decimals'>>,
  onExcluded: (token: PricedToken, actual: number) => void,
): Policy {
  const tokens = new Map(
    [...policy.tokens].filter(([, token]) => {
      const actual = chains.get(token.chainId)?.decimals.get(token.address.toLowerCase())
      if (actual === undefined || actual === token.decimals) return true
      onExcluded(token, actual)
      return false
    }),
  )
  return { ...policy, tokens }
}
