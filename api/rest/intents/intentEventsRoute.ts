import { z } from '@hono/zod-openapi'
import {
  eventCursor,
  eventPlace,
  listEvents,
  placeOfEvent,
} from '../../../services/store/events/listEvents.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_ABI, EVENT_TYPES } from '../../../src/event/eventFields.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import {
  address,
  chainId,
  chainInput,
  count,
  cursorInput,
  hash,
  intentIdInput,
  limitInput,
  moment,
} from '../../http/valueSchemas.ts'
import { chainsToRead, notIndexedYet, type ReadContext } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'
import { asOfInput, asOfSchema, renderAsOf, requestedBlocks } from './asOfBlock.ts'

const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100

const eventSchema = z
  .object({
    chainId: chainId.describe('The chain that emitted it.'),
    blockNumber: count,
    blockHash: z.string(),
    logIndex: count,
    timestamp: moment,
    transactionHash: hash,
    transactionFrom: address,
    // The vault's event of a tranche names its intent.
    type: z.enum([...EVENT_TYPES, 'TrancheFired']),
    args: z
      .record(z.string(), z.string())
      .describe('By Solidity name, integers as decimal strings.'),
  })
  .openapi('Event')

const query = z.strictObject({
  sourceChainId: chainInput.optional(),
  direction: z.enum(['asc', 'desc']).default('asc'),
  limit: limitInput(DEFAULT_LIMIT, MAX_LIMIT),
  asOfBlock: asOfInput.optional(),
  cursor: cursorInput,
})

const answer = success({
  intentId: z.string(),
  sourceChainId: chainId,
  events: z.array(eventSchema),
  nextCursor: z.string().nullable(),
  asOf: asOfSchema.optional(),
  notIndexedYet: z.array(z.string()).optional(),
})

/** `GET /intents/{id}/events`: the raw events of an intent. */
export function addIntentEventsRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intents/{id}/events',
    tag: 'Intents',
    summary: 'Every event of an intent',
    description: 'From all chains, by block time, including invalid deliveries.',
    params: z.strictObject({ id: intentIdInput }),
    query,
    answer,
    failures: [404, 503],
    isConditional: true,
    handler: ({ id, ...query }) => readPage(reads, id, query),
  })
}

async function readPage(
  reads: ReadContext,
  intentId: bigint,
  { cursor, sourceChainId, asOfBlock, direction, limit }: z.output<typeof query>,
) {
  const after = cursor === undefined ? undefined : eventPlace(cursor)
  const now = await chainsToRead(reads)
  const { source } = await requireIntent(reads, now, { intentId, sourceChainId })
  const asOf =
    asOfBlock && (await reads.asOf.at(now, requestedBlocks(asOfBlock, source.sourceChainId)))
  const found = await listEvents(reads.db, {
    filter: { intent: { sourceChainId: source.sourceChainId, intentId } },
    within: asOf?.cutoffs,
    direction,
    after,
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    intentId: String(intentId),
    sourceChainId: String(source.sourceChainId),
    events: page.map(renderEvent),
    nextCursor: last ? eventCursor(placeOfEvent(last)) : null,
    ...(asOf && { asOf: renderAsOf(asOf) }),
    ...notIndexedYet(reads, now),
  }
}

/** An event as JSON: addresses checksummed, the time as ISO 8601. */
function renderEvent(event: EventRow) {
  const { type, args } = event
  const rendered: Record<string, string> = {}
  for (const [name, value] of Object.entries(args)) {
    rendered[name] = ADDRESSES.has(`${type}.${name}`) ? toChecksumAddress(value as Hex) : value
  }
  return {
    chainId: String(event.chainId),
    blockNumber: event.blockNumber,
    blockHash: event.blockHash,
    logIndex: event.logIndex,
    timestamp: toIsoTime(event.blockTimestamp),
    transactionHash: event.transactionHash,
    transactionFrom: toChecksumAddress(event.transactionFrom),
    type,
    args: rendered,
  }
}

/** The arguments that are addresses, as `Event.argument`. */
const ADDRESSES = new Set(
  EVENT_ABI.flatMap(({ name, inputs }) =>
    inputs.filter(({ type }) => type === 'address').map((input) => `${name}.${input.name}`),
  ),
)
