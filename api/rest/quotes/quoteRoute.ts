import { z } from '@hono/zod-openapi'
import { calculateQuote, MAX_REWARD_PERCENT } from '../../../core/quote/calculateQuote.ts'
import { listLiveSolvers } from '../../../services/relayer/solvers/listLiveSolvers.ts'
import type { BridgeDetail } from '../../../services/store/chains/listBridges.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import { FEE_BPS } from '../../../src/money/bps.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { addressInput, chainInput, wireAmountInput } from '../../http/valueSchemas.ts'
import { chainsToRead, type ReadContext, requireReady } from '../readContext.ts'
import type { PairActivities } from './pairActivity.ts'
import { quoteSchema, renderQuote } from './quoteSchema.ts'
import { requireQuotablePair } from './requireQuotablePair.ts'

const query = z.strictObject({
  sourceChain: chainInput,
  destChain: chainInput,
  tokenA: addressInput,
  tokenB: addressInput,
  amountA: wireAmountInput.refine((amount) => amount > 0n, 'expected an amount above zero'),
  reward: wireAmountInput
    .optional()
    .describe('In base units of tokenA. Default: the reward that was sufficient recently.'),
  shielded: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether any recipient is a registered wallet. Default false.'),
})

const answer = success({ quote: quoteSchema })

/** What quotes need in addition to ReadContext. */
export type QuoteReads = {
  activities: PairActivities
  bridges: () => Promise<readonly BridgeDetail[]>
}

/** `GET /quote`: what an intent would deliver, estimated from its pair's recent completions. */
export function addQuoteRoute(
  app: App,
  reads: ReadContext,
  { activities, bridges }: QuoteReads,
): void {
  addEndpoint(app, {
    method: 'get',
    path: '/quote',
    tag: 'Auctions',
    summary: 'An estimate of what an intent would deliver',
    description:
      'An estimate from the pair’s intents that were created and completed in the last day (the 500 largest). It is not an offer: the auction decides what is delivered.',
    query,
    answer,
    failures: [503],
    isConditional: true,
    handler: async ({ amountA, reward = null, shielded, ...route }) => {
      checkReward(amountA, reward)
      const now = await chainsToRead(reads)
      const { sourceChain: sourceChainId, destChain: destChainId, tokenA, tokenB } = route
      requireReady(reads, now, sourceChainId)
      requireReady(reads, now, destChainId)
      const pair: Pair = { sourceChainId, destChainId, tokenA, tokenB }
      requireQuotablePair(await bridges(), reads, pair, amountA + (reward ?? 0n))
      const clock = now.heads.get(sourceChainId)?.timestamp ?? 0
      const [activity, registrations] = await Promise.all([
        activities.of(pair, clock),
        listLiveSolvers(reads.db),
      ])
      const solvers = await activity.solversAmong(registrations)
      const feeBps = shielded === 'true' ? FEE_BPS.shielded : FEE_BPS.unshielded
      const quote = calculateQuote(activity.prices, solvers, { amountA, reward, feeBps })
      return { quote: renderQuote(pair, amountA, quote) }
    },
  })
}

function checkReward(amountA: bigint, reward: bigint | null): void {
  if (reward === null || reward * 100n <= amountA * MAX_REWARD_PERCENT) return
  throw new BadRequestError(
    `the bridge accepts rewards up to ${MAX_REWARD_PERCENT} % of amountA`,
    'INVALID_REQUEST',
    [{ path: 'reward', message: `expected at most ${(amountA * MAX_REWARD_PERCENT) / 100n}` }],
  )
}
