import { MAX_RECIPIENTS } from '../../../core/recoveryBlob/blobSize.ts'
import { shareOf } from '../../../src/money/bps.ts'
import { multiplyDown, multiplyUp } from './fraction.ts'
import { type Pair, type Policy, tokenKey, VALUE_SCALE } from './policy.ts'

/** What a sender offers, in base units. */
type Offer = Pair & {
  amountA: bigint
  reward: bigint
  feeBps: number
  /** Maximum number of recipients. */
  recipientClass: number
}

/** What our transactions on a chain will likely cost. */
type GasCost = { chainId: number; wei: bigint }

const BPS_SCALE = 10_000n

/**
 * The highest bid, in base units of tokenB, that an offer is worth: the settlement's payout
 * (`amountA − fee + reward`) at the pair's rate, less the margin and the gas for that many recipients; negative if gas
 * costs more. Null when the policy doesn't serve the pair.
 */
export function calculateBidCeiling(
  offer: Offer,
  policy: Policy,
  gasCosts: readonly GasCost[],
): bigint | null {
  const { sourceChainId, destChainId } = offer
  if (!policy.chains.has(sourceChainId) || !policy.chains.has(destChainId)) return null
  const terms = policy.termsFor(offer)
  const tokenA = policy.tokens.get(tokenKey(sourceChainId, offer.tokenA))
  const tokenB = policy.tokens.get(tokenKey(destChainId, offer.tokenB))
  if (!terms || !tokenA || !tokenB) return null
  const { numerator, denominator } = terms.rate
  const worth =
    (incomeOf(offer) * numerator * (BPS_SCALE - BigInt(terms.marginBps))) /
    (denominator * BPS_SCALE)
  const { price } = tokenB
  const gas = multiplyUp(calculateGasValue(offer, policy, gasCosts), {
    numerator: price.denominator,
    denominator: price.numerator * VALUE_SCALE,
  })
  return worth - gas
}

/**
 * What a delivery of this amount loses, its gas included, in millionths; negative for a profit. Null if a token has no
 * price.
 */
export function calculateDeliveryLoss(
  offer: Offer & { amountB: bigint },
  policy: Policy,
  gasCosts: readonly GasCost[],
): bigint | null {
  const { sourceChainId, destChainId, tokenA, tokenB, amountB } = offer
  const income = incomeOf(offer)
  // At the pair's own rate, which may be more generous than the prices: else each delivery that we bid on so would be a loss.
  const rate = policy.termsFor(offer)?.rate
  const earned = rate
    ? calculateTokenValue(policy, destChainId, tokenB, multiplyDown(income, rate))
    : calculateTokenValue(policy, sourceChainId, tokenA, income)
  const paid = calculateTokenValue(policy, destChainId, tokenB, amountB)
  if (earned === null || paid === null) return null
  return paid + calculateGasValue(offer, policy, gasCosts) - earned
}

/** The settlement's payout. */
function incomeOf({ amountA, feeBps, reward }: Offer): bigint {
  return amountA - shareOf(amountA, feeBps) + reward
}

/** In millionths. */
function calculateGasValue(
  { recipientClass }: Pick<Offer, 'recipientClass'>,
  { gasAllowance, gasPerRecipient, weiPrices }: Policy,
  gasCosts: readonly GasCost[],
): bigint {
  const recipients = BigInt(Math.min(recipientClass, MAX_RECIPIENTS))
  return gasCosts.reduce(
    (sum, { chainId, wei }) => {
      const price = weiPrices.get(chainId)
      return price === undefined ? sum : sum + multiplyUp(wei * VALUE_SCALE, price)
    },
    gasAllowance + gasPerRecipient * recipients,
  )
}

/** The value of an amount in millionths, rounded up; null for a token without a price. */
export function calculateTokenValue(
  policy: Policy,
  chainId: number,
  token: string,
  amount: bigint,
): bigint | null {
  const known = policy.tokens.get(tokenKey(chainId, token))
  return known ? multiplyUp(amount * VALUE_SCALE, known.price) : null
}
