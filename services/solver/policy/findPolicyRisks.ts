import { isDevelopmentChain } from '../../../core/chain/developmentChains.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Policy } from './policy.ts'

/** What a policy leaves open to strangers who want to cost the solver money, where there is money. */
export function findPolicyRisks(
  { chains, weiPrices, forfeitLimit }: Pick<Policy, 'chains' | 'weiPrices' | 'forfeitLimit'>,
  configured: readonly Pick<ChainConfig, 'chainId' | 'name'>[],
): string[] {
  const real = configured.filter(
    ({ chainId }) => chains.has(chainId) && !isDevelopmentChain(chainId),
  )
  const unpriced = real.filter(({ chainId }) => !weiPrices.has(chainId)).map(({ name }) => name)
  const risks: string[] = []
  if (unpriced.length > 0) {
    const names = unpriced.join(', ')
    risks.push(
      `gas.coins lacks ${names}: when gas is dear, a sender can have 200 people paid at your cost`,
    )
  }
  if (real.length > 0 && forfeitLimit === null)
    risks.push(
      'limits.forfeited is not set: stakes are refilled, and lost, until your tokens are gone',
    )
  return risks
}
