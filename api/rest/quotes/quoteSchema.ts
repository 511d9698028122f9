import { z } from '@hono/zod-openapi'
import { chainNameOf } from '../../../core/chain/names.ts'
import type { Quote } from '../../../core/quote/quoteOf.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import { checksummed } from '../../http/checksummed.ts'
import { isoTimeOrNull } from '../../http/isoTime.ts'
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
  auctions: count.openapi({
    description: 'The pair’s auctions in which it bid in the last hour.',
  }),
  lastBidAt: moment.nullable(),
  isRegistered: z.boolean().openapi({ description: 'It registered in the last ten minutes.' }),
  wins: count.openapi({ description: 'Intents of the basis that it won.' }),
  stake: amount.openapi({ description: 'Of tokenA on the source chain, in base units.' }),
  freeStake: amount.openapi({ description: 'The part that backs no other bid now.' }),
  isAble: z.boolean().openapi({ description: 'Whether its stake suffices for a bid.' }),
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
    reward: amount.openapi({
      description: 'The reward that the quote assumes: the given one, or sufficientReward.',
    }),
    feeBps: count.openapi({ description: '250, or 700 for registered recipients.', example: 250 }),
    fee: amount.openapi({ description: 'Of tokenA, taken from amountA.' }),
    amountB: amount.nullable().openapi({
      description:
        'What would be delivered, estimated from the pair’s recent intents; null without any.',
    }),
    bestAmountB: amount.nullable().openapi({
      description:
        'The same for the solver with the best prices among those with at least 5 % of the volume.',
    }),
    sufficientReward: amount.nullable().openapi({
      description:
        'The reward that recently sufficed for such an amountA; null if nothing was completed.',
    }),
    bond: amount.openapi({ description: 'What a solver locks for a bid, in tokenA.' }),
    completionSeconds: z
      .object({ p50: count, p95: count })
      .nullable()
      .openapi({ description: 'From creation to settlement.' }),
    basis: z.object({
      kind: z.literal('completed_intents').openapi({
        description:
          'Figures are medians over these, weighted by amountA: an estimate, not an offer.',
      }),
      intents: count,
      solvers: count.openapi({ description: 'Different winners among them.' }),
      totalAmountA: amount,
      largestAmountA: amount.openapi({
        description: 'The largest of them. Nothing shows that larger amounts work.',
      }),
      createdWithinSeconds: count.openapi({ example: PRICED_SECONDS }),
    }),
    liveSolvers: count.openapi({
      description: 'With a stake in tokenA, and bids in the last hour or a registration.',
    }),
    ableSolvers: count.openapi({
      description: 'Of these, the ones whose stake suffices for a bid.',
    }),
    liveWithinSeconds: count.openapi({ example: LIVE_SECONDS }),
    solvers: z.array(solverSchema).openapi({ description: 'The first 20 of the live ones.' }),
  })
  .openapi('Quote')

/** Maximum number of solvers in a quote. */
const MAX_SOLVERS = 20

export function renderQuote(
  { sourceChainId, destChainId, tokenA, tokenB }: Pair,
  amountA: bigint,
  quote: Quote,
): z.infer<typeof quoteSchema> {
  const { basis, solvers, feeBps, completionSeconds } = quote
  return {
    ...{ sourceChainId: String(sourceChainId), destChainId: String(destChainId) },
    ...{ sourceChain: chainNameOf(sourceChainId), destChain: chainNameOf(destChainId) },
    ...{ tokenA: checksummed(tokenA), tokenB: checksummed(tokenB), amountA: String(amountA) },
    ...{ reward: String(quote.reward), feeBps, fee: String(quote.fee) },
    ...{ amountB: decimalOrNull(quote.amountB), bestAmountB: decimalOrNull(quote.bestAmountB) },
    ...{ sufficientReward: decimalOrNull(quote.sufficientReward), bond: String(quote.bond) },
    completionSeconds,
    basis: {
      kind: 'completed_intents',
      ...{ intents: basis.intents, solvers: basis.solvers },
      totalAmountA: String(basis.totalAmountA),
      largestAmountA: String(basis.largestAmountA),
      createdWithinSeconds: PRICED_SECONDS,
    },
    liveSolvers: solvers.length,
    ableSolvers: solvers.filter(({ isAble }) => isAble).length,
    liveWithinSeconds: LIVE_SECONDS,
    solvers: solvers.slice(0, MAX_SOLVERS).map(({ solver, staked, locked, lastBidAt, ...one }) => ({
      address: checksummed(solver),
      ...{ auctions: one.auctions, lastBidAt: isoTimeOrNull(lastBidAt) },
      ...{ isRegistered: one.isRegistered, wins: one.wins, isAble: one.isAble },
      ...{ stake: String(staked), freeStake: String(staked - locked) },
    })),
  }
}
