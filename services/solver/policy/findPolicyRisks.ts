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
  return [
    ...(unpriced.length === 0
      ? []
      : [
          `gas.coins lacks ${unpriced.join(', ')}: on a day of dear gas, a sender has 200 people paid at your cost`,
        ]),
    ...(real.length === 0 || forfeitLimit !== null
      ? []
      : ['limits.forfeited is not set: whatever loses bonds goes on until your tokens are gone']),
  ]
}
