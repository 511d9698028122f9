import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { findChainName } from '../../../core/chain/chainNames.ts'
import {
  type Batch,
  listAuctionBatches,
} from '../../../services/store/intents/listAuctionBatches.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import {
  address,
  addressInput,
  amount,
  chainId,
  chainInput,
  chainName,
  count,
  moment,
} from '../../http/valueSchemas.ts'
import { chainsToRead, notIndexedYet, type ReadContext, requireReady } from '../readContext.ts'

const rateSchema = z.object({ numerator: z.string(), denominator: z.string() }).openapi('Rate', {
  description:
    'Base units of tokenB per base unit of tokenA, as an exact fraction in lowest terms.',
})

const batchSchema = z
  .object({
    sourceChainId: chainId,
    destChainId: chainId,
    sourceChain: chainName,
    destChain: chainName,
    tokenA: address,
    tokenB: address,
    count: count.describe('Open auctions.'),
    biddable: count.describe('How many of them are anchored. Only these accept bids.'),
    totalAmount: amount.describe('Σ amountA, in tokenA.'),
    smallestAmount: amount,
    largestAmount: amount,
    totalExpectedAmount: amount.describe('Σ expectedAmountB, in tokenB.'),
    fees: amount.describe('Σ reward, which solvers earn on top, in tokenA.'),
    rate: rateSchema.describe(
      'totalExpectedAmount / totalAmount: the lowest rate that is accepted.',
    ),
    bestRate: rateSchema.describe('The rate at the best bids so far.'),
    firstEndTime: moment.describe('When the first auction ends.'),
    lastEndTime: moment,
    intents: z.string().describe('Path that lists these auctions.'),
  })
  .openapi('Batch')

const answer = success({
  batches: z.array(batchSchema),
  notIndexedYet: z.array(z.string()).optional(),
})

/** `GET /batches`: open auctions, for solvers. Reads nothing about senders or recipients. */
export function addOpenAuctionsRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/batches',
    tag: 'Auctions',
    summary: 'Open auctions by chain pair and token pair',
    query: z.strictObject({
      sourceChainId: chainInput.optional(),
      destChainId: chainInput.optional(),
      tokenA: addressInput.optional(),
      tokenB: addressInput.optional(),
    }),
    answer,
    failures: [503],
    isConditional: true,
    handler: async (query) => {
      const now = await chainsToRead(reads)
      if (query.sourceChainId !== undefined) requireReady(reads, now, query.sourceChainId)
      const batches = await listAuctionBatches(reads.db, query, now.heads)
      return { batches: batches.map(renderBatch), ...notIndexedYet(reads, now) }
    },
  })
}

function renderBatch(batch: Batch): z.infer<typeof batchSchema> {
  const tokenA = getAddress(batch.tokenA)
  const tokenB = getAddress(batch.tokenB)
  const { sourceChainId, destChainId } = batch
  return {
    sourceChainId: String(sourceChainId),
    destChainId: String(destChainId),
    sourceChain: findChainName(sourceChainId),
    destChain: findChainName(destChainId),
    tokenA,
    tokenB,
    count: batch.count,
    biddable: batch.anchored,
    totalAmount: String(batch.totalAmountA),
    smallestAmount: String(batch.smallestAmountA),
    largestAmount: String(batch.largestAmountA),
    totalExpectedAmount: String(batch.totalExpectedAmountB),
    fees: String(batch.totalReward),
    rate: reduceFraction(batch.totalExpectedAmountB, batch.totalAmountA),
    bestRate: reduceFraction(batch.totalBestB, batch.totalAmountA),
    firstEndTime: toIsoTime(batch.firstEndTime),
    lastEndTime: toIsoTime(batch.lastEndTime),
    // `endsAfter` excludes auctions in their pickup windows, which are pending too but no longer open.
    intents: `/intents?status=pending&endsAfter=${batch.firstEndTime}&orderBy=endTime&direction=asc&sourceChainId=${sourceChainId}&destChainId=${destChainId}&tokenA=${tokenA}&tokenB=${tokenB}`,
  }
}

/** A fraction in lowest terms, as decimal strings. `denominator` is positive, `numerator` isn't negative. */
export function reduceFraction(numerator: bigint, denominator: bigint) {
  const divisor = greatestCommonDivisor(numerator, denominator)
  return {
    numerator: String(numerator / divisor),
    denominator: String(denominator / divisor),
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
