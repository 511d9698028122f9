import type { OpenAPIHono } from '@hono/zod-openapi'
import { z } from '@hono/zod-openapi'
import {
  eventCursor,
  eventPlace,
  listEvents,
  placeOfEvent,
} from '../../../services/store/events/listEvents.ts'
import { EVENT_TYPES } from '../../../src/event/eventFields.ts'
import { addEndpoint } from '../../http/addEndpoint.ts'
import type { ApiEnv } from '../../http/apiEnv.ts'
import { conditionalResponse, render } from '../../http/conditionalAnswer.ts'
import {
  address,
  chainId,
  chainInput,
  hash,
  intentIdInput,
  moment,
} from '../../http/valueSchemas.ts'
import { chainsMissing, chainsToRead, type RelayerReads, requireIntent } from '../relayerReads.ts'
import { askedBlocks, asOfInput, asOfSchema, renderAsOf } from './asOfBlock.ts'
import { limitInput } from './limitInput.ts'
import { renderEvent } from './renderEvent.ts'

const MOST = 1_000
const USUAL = 100

const eventSchema = z
  .object({
    chainId: chainId.openapi({ description: 'Chain that emitted it.' }),
    blockNumber: z.number().int(),
    blockHash: z.string(),
    logIndex: z.number().int(),
    timestamp: moment,
    transactionHash: hash,
    transactionFrom: address,
    type: z.enum(EVENT_TYPES as [string, ...string[]]),
    args: z.record(z.string(), z.string()).openapi({
      description: 'By their Solidity names; integers as decimal strings.',
    }),
  })
  .openapi('Event')

const query = z.strictObject({
  sourceChainId: chainInput.optional(),
  direction: z.enum(['asc', 'desc']).default('asc'),
  limit: limitInput(USUAL, MOST),
  asOfBlock: asOfInput.optional(),
  cursor: z.string().max(512).optional(),
})

const answer = z.object({
  success: z.literal(true),
  intentId: z.string(),
  sourceChainId: chainId,
  events: z.array(eventSchema),
  nextCursor: z.string().nullable(),
  asOf: asOfSchema.optional(),
  notIndexedYet: z.array(z.string()).optional(),
})

/** `GET /intents/{id}/events`: what the chains logged about an intent, as they logged it. */
export function addIntentEvents(app: OpenAPIHono<ApiEnv>, reads: RelayerReads): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intents/{id}/events',
    tag: 'Intents',
    summary: 'Every event of an intent',
    description: 'On all chains, by block time, including deliveries that don’t count.',
    params: z.strictObject({ id: intentIdInput }),
    query,
    answer,
    failures: [404, 503],
    handler: async (c, { params, query: given }) => {
      const page = await readPage(reads, params.id, given)
      return conditionalResponse(render(page), c.req.header('if-none-match'))
    },
  })
}

async function readPage(reads: RelayerReads, intentId: bigint, given: z.output<typeof query>) {
  const after = given.cursor === undefined ? undefined : eventPlace(given.cursor)
  const now = await chainsToRead(reads)
  const { sourceChainId } = given
  const { source } = await requireIntent(reads, now, { intentId, sourceChainId })
  const asOf =
    given.asOfBlock &&
    (await reads.asOf.at(now, askedBlocks(given.asOfBlock, source.sourceChainId)))
  const found = await listEvents(reads.db, {
    filter: { intent: { sourceChainId: source.sourceChainId, intentId } },
    within: asOf?.cutoffs,
    direction: given.direction,
    after,
    limit: given.limit + 1,
  })
  const shown = found.slice(0, given.limit)
  const last = found.length > given.limit ? shown.at(-1) : undefined
  const missing = chainsMissing(reads, now)
  return {
    success: true,
    intentId: String(intentId),
    sourceChainId: String(source.sourceChainId),
    events: shown.map(renderEvent),
    nextCursor: last ? eventCursor(placeOfEvent(last)) : null,
    ...(asOf && { asOf: renderAsOf(asOf) }),
    ...(missing.length > 0 && { notIndexedYet: missing }),
  }
}
