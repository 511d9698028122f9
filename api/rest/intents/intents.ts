import { z } from '@hono/zod-openapi'
import {
  changesInLife,
  type IntentOrder,
  intentPlace,
  placeCursor,
} from '../../../services/store/intents/intentOrder.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { count } from '../../http/valueSchemas.ts'
import {
  bridgeOf,
  chainsMissing,
  chainsToRead,
  type ReadContext,
  requireReady,
} from '../readContext.ts'
import { type AsOfInput, asOfSchema, renderAsOf, requestedBlocks } from './asOfBlock.ts'
import { filtersOf, type PageQuery, pageQuery, readPage } from './intentListQuery.ts'
import { intentSchema } from './intentSchema.ts'
import { renderIntent } from './renderIntent.ts'

const answer = z.object({
  success: z.literal(true),
  intents: z.array(intentSchema),
  nextCursor: z.string().nullable(),
  total: count.optional(),
  totalIsExact: z.literal(false).optional().openapi({
    description: 'There are more than total.',
  }),
  asOf: asOfSchema.optional(),
  notIndexedYet: z.array(z.string()).optional().openapi({
    description: 'Configured chains whose intents are not in the answer yet.',
  }),
})

/** `GET /intents`: pages by keyset, so that a page costs the same wherever it is. */
export function addIntents(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intents',
    tag: 'Intents',
    summary: 'Intents by page',
    description:
      'Newest first by default; bounds are inclusive. With asOfBlock a page may be short or empty and still have a nextCursor: go on until it is null.',
    query: pageQuery,
    answer,
    failures: [503],
    isConditional: true,
    handler: (given) =>
      given.asOfBlock ? readPageAsOf(reads, given, given.asOfBlock) : readPage(reads, given),
  })
}

async function readPageAsOf(reads: ReadContext, given: PageQuery, input: AsOfInput) {
  const order: IntentOrder = { by: given.orderBy, direction: given.direction }
  if (changesInLife(order)) {
    throw new BadRequestError(`invalid query: orderBy: ${order.by} doesn’t work with asOfBlock`)
  }
  const after = given.cursor === undefined ? undefined : intentPlace(given.cursor, order)
  const now = await chainsToRead(reads)
  if (given.sourceChainId !== undefined) requireReady(reads, now, given.sourceChainId)
  const asOf = await reads.asOf.at(now, requestedBlocks(input, given.sourceChainId))
  const filter = await filtersOf(reads, given)
  const total = given.total === 'true' ? await reads.asOf.count(filter, asOf) : undefined
  const { limit } = given
  const { intents, next } = await reads.asOf.list({ filter, order, after, limit }, asOf)
  const { chains } = asOf
  const missing = chainsMissing(reads, now)
  return {
    intents: intents.map((stored) => renderIntent(stored, chains.heads, bridgeOf(chains, stored))),
    nextCursor: next && placeCursor(next, order),
    ...(total !== undefined && { total }),
    asOf: renderAsOf(asOf),
    ...(missing.length > 0 && { notIndexedYet: missing }),
  }
}
