import { feeOf } from '../../../core/money/feeOf.ts'
import { timesUp } from './fraction.ts'
import { type Pair, type Policy, tokenKey, VALUE_SCALE } from './policy.ts'

/** What a sender offers, in base units. */
type Offer = Pair & {
  amountA: bigint
  reward: bigint
  feeBps: number
  /** Most recipients. */
  recipientClass: number
}

const WHOLE = 10_000n

/**
 * The most tokenB (base units) that is worth delivering for an offer: what the settlement pays
 * (`amountA − fee + reward`), at the pair's rate, less margin and the gas that so many recipients may take.
 * Null when the policy doesn't serve the pair.
 */
export function bidCeiling(offer: Offer, policy: Policy): bigint | null {
  const { sourceChainId, destChainId } = offer
  if (!policy.chains.has(sourceChainId) || !policy.chains.has(destChainId)) return null
  const terms = policy.termsFor(offer)
  const tokenB = policy.tokens.get(tokenKey(destChainId, offer.tokenB))
  if (!terms || !tokenB) return null
  const income = offer.amountA - feeOf(offer.amountA, offer.feeBps) + offer.reward
  const { numerator, denominator } = terms.rate
  const worth = (income * numerator * (WHOLE - BigInt(terms.marginBps))) / (denominator * WHOLE)
  const { price } = tokenB
  const allowance = policy.gasAllowance + policy.gasPerRecipient * BigInt(offer.recipientClass)
  const gas = timesUp(allowance, {
    numerator: price.denominator,
    denominator: price.numerator * VALUE_SCALE,
  })
  return worth > gas ? worth - gas : 0n
}

/** Value of an amount in millionths, rounded up; null for a token without a price. */
export function worthOf(
  policy: Policy,
  chainId: number,
  token: string,
  amount: bigint,
): bigint | null {
  const known = policy.tokens.get(tokenKey(chainId, token))
  return known ? timesUp(amount * VALUE_SCALE, known.price) : null
}
