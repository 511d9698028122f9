import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { IntentTerms } from '../../src/event/paramsHash.ts'
import { shareOf } from '../../src/money/bps.ts'

/** The solver's reward for each tranche, in hundredths of a percent. */
const REWARD_BPS = 500

/** The terms of an order that its tranches inherit. */
type TermsOfTranches = {
  owner: Hex
  token: Hex
  tokenB: Hex
  /** Base units of tokenB. */
  expectedAmountB: bigint
  /** Base units of the token. */
  amountPerPeriod: bigint
  destChainId: number
  /** Seconds. */
  period: number
}

/** The terms of the intent of an order's tranche, exactly as the vault creates it. */
export function buildTrancheTerms(
  at: { chainId: number; bridge: Hex; minAuctionDuration: number },
  { owner, token, amountPerPeriod, period, ...terms }: TermsOfTranches,
): IntentTerms {
  const reward = shareOf(amountPerPeriod, REWARD_BPS)
  const { chainId, bridge, minAuctionDuration } = at
  return {
    chainId,
    bridge,
    user: owner,
    tokenA: token,
    tokenB: terms.tokenB,
    amountA: amountPerPeriod - reward,
    reward,
    expectedAmountB: terms.expectedAmountB,
    destChainId: terms.destChainId,
    auctionDuration: Math.max(Math.floor(period / 2), minAuctionDuration),
  }
}
