import { z } from '@hono/zod-openapi'
import {
  changesInLife,
  type IntentSortOrder,
  intentPlace,
  placeCursor,
} from '../../../services/store/intents/intentSortOrder.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { count } from '../../http/valueSchemas.ts'
import {
  bridgeOf,
  chainsToRead,
  notIndexedYet,
  type ReadContext,
  requireReady,
} from '../readContext.ts'
import { type AsOfInput, asOfSchema, renderAsOf, requestedBlocks } from './asOfBlock.ts'
import { filtersOf, type IntentListQuery, intentListQuery } from './intentListQuery.ts'
import { intentSchema } from './intentSchema.ts'
import { renderIntent } from './renderIntent.ts'
import { renderIntentListAnswer } from './renderIntentListAnswer.ts'

const answer = success({
  intents: z.array(intentSchema),
  nextCursor: z.string().nullable(),
  total: count.optional(),
  totalIsExact: z.literal(false).optional().describe('False if there are more than `total`.'),
  asOf: asOfSchema.optional(),
  notIndexedYet: z
    .array(z.string())
    .optional()
    .describe('Configured chains whose intents are not in the answer yet.'),
})

/** `GET /intents`. Pages are by keyset, so each costs the same. */
export function addIntentListRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intents',
    tag: 'Intents',
    summary: 'Intents by page',
    description:
      'Newest first by default. Bounds are inclusive. With asOfBlock, a page may be short or empty and still have a nextCursor: continue until it is null.',
    query: intentListQuery,
    answer,
    failures: [503],
    isConditional: true,
    handler: (query) =>
      query.asOfBlock
        ? readPageAsOf(reads, query, query.asOfBlock)
        : renderIntentListAnswer(reads, query),
  })
}

async function readPageAsOf(reads: ReadContext, query: IntentListQuery, blocks: AsOfInput) {
  const order: IntentSortOrder = { by: query.orderBy, direction: query.direction }
  if (changesInLife(order)) {
    throw new BadRequestError(`invalid query: orderBy: ${order.by} doesn’t work with asOfBlock`)
  }
  const after = query.cursor === undefined ? undefined : intentPlace(query.cursor, order)
  const now = await chainsToRead(reads)
  if (query.sourceChainId !== undefined) requireReady(reads, now, query.sourceChainId)
  const asOf = await reads.asOf.at(now, requestedBlocks(blocks, query.sourceChainId))
  const filter = await filtersOf(reads, query)
  const total = query.total === 'true' ? await reads.asOf.count(filter, asOf) : undefined
  const { limit } = query
  const { intents, next } = await reads.asOf.list({ filter, order, after, limit }, asOf)
  const { chains } = asOf
  return {
    intents: intents.map((stored) => renderIntent(stored, chains.heads, bridgeOf(chains, stored))),
    nextCursor: next && placeCursor(next, order),
    ...(total !== undefined && { total }),
    asOf: renderAsOf(asOf),
    ...notIndexedYet(reads, now),
  }
}
