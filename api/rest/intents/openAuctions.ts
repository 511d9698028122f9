import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { chainNameOf } from '../../../core/chain/names.ts'
import { type Batch, listBatches } from '../../../services/store/intents/listBatches.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import { isoTime } from '../../http/isoTime.ts'
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
import { chainsMissing, chainsToRead, type ReadContext, requireReady } from '../readContext.ts'

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
    count: count.openapi({ description: 'Auctions that still take bids.' }),
    biddable: count.openapi({ description: 'Anchored auctions: only these accept bids.' }),
    totalAmount: amount.openapi({ description: 'Σ amountA, in tokenA.' }),
    smallestAmount: amount,
    largestAmount: amount,
    totalExpectedAmount: amount.openapi({ description: 'Σ expectedAmountB, in tokenB.' }),
    fees: amount.openapi({ description: 'Σ reward, what solvers earn on top, in tokenA.' }),
    rate: rateSchema.openapi({
      description: 'totalExpectedAmount / totalAmount: the least that is accepted.',
    }),
    bestRate: rateSchema.openapi({
      description: 'The same with the best bids so far.',
    }),
    firstEndTime: moment.openapi({ description: 'When the first of the auctions closes.' }),
    lastEndTime: moment,
    intents: z.string().openapi({ description: 'Where to list the auctions themselves.' }),
  })
  .openapi('Batch')

const answer = z.object({
  success: z.literal(true),
  batches: z.array(batchSchema),
  notIndexedYet: z.array(z.string()).optional(),
})

/** `GET /batches`: open auctions for solvers. It reads nothing of senders or recipients. */
export function addOpenAuctions(app: App, reads: ReadContext): void {
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
      const batches = await listBatches(reads.db, query, now.heads)
      const missing = chainsMissing(reads, now)
      return {
        batches: batches.map(renderBatch),
        ...(missing.length > 0 && { notIndexedYet: missing }),
      }
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
    sourceChain: chainNameOf(sourceChainId),
    destChain: chainNameOf(destChainId),
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
    firstEndTime: isoTime(batch.firstEndTime),
    lastEndTime: isoTime(batch.lastEndTime),
    // Bounded: an auction in its pickup windows is pending too, but closed before the first of these.
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
