import { z } from '@hono/zod-openapi'
import { findChainName } from '../../../core/chain/chainNames.ts'
import type { Quote } from '../../../core/quote/calculateQuote.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import { toIsoTimeOrNull } from '../../http/isoTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import {
  address,
  amount,
  chainId,
  chainName,
  count,
  decimalOrNull,
  moment,
} from '../../http/valueSchemas.ts'
import { LIVE_SECONDS, PRICED_SECONDS } from './pairActivity.ts'

const solverSchema = z.object({
  address,
  auctions: count.describe('In how many of the pair’s auctions it bid in the last hour.'),
  lastBidAt: moment.nullable(),
  isRegistered: z.boolean().describe('Whether it registered in the last ten minutes.'),
  wins: count.describe('How many intents of the basis it won.'),
  stake: amount.describe('Its stake in tokenA on the source chain, in base units.'),
  freeStake: amount.describe('The part that isn’t locked.'),
  isAble: z.boolean().describe('Whether its stake is large enough for a bid.'),
})

export const quoteSchema = z
  .object({
    sourceChainId: chainId,
    destChainId: chainId,
    sourceChain: chainName,
    destChain: chainName,
    tokenA: address,
    tokenB: address,
    amountA: amount,
    reward: amount.describe('The reward that the quote assumes: yours, or sufficientReward.'),
    feeBps: count.openapi({ description: '250, or 700 for registered recipients.', example: 250 }),
    fee: amount.describe('Taken from amountA, in tokenA.'),
    amountB: amount
      .nullable()
      .describe('The estimated delivery, from the pair’s recent intents. Null if there are none.'),
    bestAmountB: amount
      .nullable()
      .describe(
        'The same at the best solver’s prices, among solvers with at least 5 % of the volume.',
      ),
    sufficientReward: amount
      .nullable()
      .describe(
        'The reward that was sufficient recently for such an amountA. Null if nothing was completed.',
      ),
    bond: amount.describe('What a solver must lock to bid, in tokenA.'),
    completionSeconds: z
      .object({ p50: count, p95: count })
      .nullable()
      .describe('Seconds from creation to settlement.'),
    basis: z.object({
      kind: z
        .literal('completed_intents')
        .describe('Figures are medians over completed intents, weighted by amountA.'),
      intents: count,
      solvers: count.describe('How many different solvers won them.'),
      totalAmountA: amount,
      largestAmountA: amount.describe(
        'The largest amountA among them. Larger amounts are untested.',
      ),
      createdWithinSeconds: count.openapi({ example: PRICED_SECONDS }),
    }),
    liveSolvers: count.describe(
      'Solvers with a stake in tokenA that are registered or bid in the last hour.',
    ),
    ableSolvers: count.describe('How many of them have a stake large enough for a bid.'),
    liveWithinSeconds: count.openapi({ example: LIVE_SECONDS }),
    solvers: z.array(solverSchema).describe('The first 20 live solvers.'),
  })
  .openapi('Quote')

const MAX_SOLVERS = 20

export function renderQuote(
  { sourceChainId, destChainId, tokenA, tokenB }: Pair,
  amountA: bigint,
  quote: Quote,
): z.infer<typeof quoteSchema> {
  const { basis, solvers, feeBps, completionSeconds } = quote
  return {
    sourceChainId: String(sourceChainId),
    destChainId: String(destChainId),
    sourceChain: findChainName(sourceChainId),
    destChain: findChainName(destChainId),
    tokenA: toChecksumAddress(tokenA),
    tokenB: toChecksumAddress(tokenB),
    amountA: String(amountA),
    reward: String(quote.reward),
    feeBps,
    fee: String(quote.fee),
    amountB: decimalOrNull(quote.amountB),
    bestAmountB: decimalOrNull(quote.bestAmountB),
    sufficientReward: decimalOrNull(quote.sufficientReward),
    bond: String(quote.bond),
    completionSeconds,
    basis: {
      kind: 'completed_intents',
      intents: basis.intents,
      solvers: basis.solvers,
      totalAmountA: String(basis.totalAmountA),
      largestAmountA: String(basis.largestAmountA),
      createdWithinSeconds: PRICED_SECONDS,
    },
    liveSolvers: solvers.length,
    ableSolvers: solvers.filter(({ isAble }) => isAble).length,
    liveWithinSeconds: LIVE_SECONDS,
    solvers: solvers.slice(0, MAX_SOLVERS).map(({ solver, staked, locked, lastBidAt, ...one }) => ({
      address: toChecksumAddress(solver),
      auctions: one.auctions,
      lastBidAt: toIsoTimeOrNull(lastBidAt),
      isRegistered: one.isRegistered,
      wins: one.wins,
      isAble: one.isAble,
      stake: String(staked),
      freeStake: String(staked - locked),
    })),
  }
}
