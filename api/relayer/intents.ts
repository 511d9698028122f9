import type { OpenAPIHono } from '@hono/zod-openapi'
import { z } from '@hono/zod-openapi'
import { countIntents } from '../../services/store/countIntents.ts'
import { intentCursor, intentPlace, placeCursor } from '../../services/store/intentCursor.ts'
import type { IntentFilter } from '../../services/store/intentFilter.ts'
import { INTENT_ORDERS, type IntentOrder } from '../../services/store/intentOrder.ts'
import { STATUSES } from '../../src/intent/status.ts'
import type { ApiContext, ApiEnv } from '../http/apiEnv.ts'
import { BadRequestError } from '../http/apiError.ts'
import { conditionalResponse, type Rendered, render, renderText } from '../http/conditional.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { type AsOfInput, askedBlocks, asOfInput, asOfSchema, renderAsOf } from './asOfBlock.ts'
import { intentSchema } from './intentSchema.ts'
import { listRecords } from './listRecords.ts'
import { questionOf } from './pageLane.ts'
import { limitInput } from './pages.ts'
import {
  bridgeOf,
  chainsMissing,
  chainsToRead,
  type RelayerReads,
  requireReady,
} from './relayerReads.ts'
import { renderIntent } from './renderIntent.ts'
import { addressInput, amountInput, chainInput, momentInput } from './values.ts'

const MOST = 200
const USUAL = 50

const statusList = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(STATUSES)).max(STATUSES.length))
  .openapi({ type: 'string', example: 'pending,solving', description: 'One or more, by commas.' })

const query = z.strictObject({
  status: statusList.optional(),
  sourceChainId: chainInput.optional(),
  destChainId: chainInput.optional(),
  sender: addressInput.optional(),
  solver: addressInput.optional().openapi({ description: 'The winner.' }),
  tokenA: addressInput.optional(),
  tokenB: addressInput.optional(),
  createdAfter: momentInput.optional().openapi({ description: 'At or after.' }),
  createdBefore: momentInput.optional().openapi({ description: 'At or before.' }),
  updatedAfter: momentInput.optional(),
  updatedBefore: momentInput.optional(),
  endsAfter: momentInput.optional(),
  endsBefore: momentInput.optional(),
  minAmountA: amountInput.optional(),
  maxAmountA: amountInput.optional(),
  minReward: amountInput.optional(),
  maxReward: amountInput.optional(),
  orderBy: z.enum(INTENT_ORDERS).default('createdAt'),
  direction: z.enum(['asc', 'desc']).default('desc'),
  limit: limitInput(USUAL, MOST),
  cursor: z
    .string()
    .max(512)
    .optional()
    .openapi({ description: '`nextCursor` of the page before.' }),
  asOfBlock: asOfInput.optional(),
  total: z.enum(['true', 'false']).default('false').openapi({ description: 'Count them all too.' }),
})

type Query = z.output<typeof query>

const answer = z.object({
  success: z.literal(true),
  intents: z.array(intentSchema),
  nextCursor: z.string().nullable(),
  total: z.number().int().optional(),
  asOf: asOfSchema.optional(),
  notIndexedYet: z.array(z.string()).optional().openapi({
    description: 'Configured chains whose intents are not in the answer yet.',
  }),
})

/** `GET /intents`: pages by keyset, so that a page costs the same wherever it is. */
export function addIntents(app: OpenAPIHono<ApiEnv>, reads: RelayerReads): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intents',
    tag: 'Intents',
    summary: 'Intents by page',
    description:
      'Newest first unless asked otherwise. Bounds belong to their ranges. With asOfBlock a page may be short, even empty, and have a nextCursor all the same: go on until it is null.',
    query,
    answer,
    failures: [503],
    handler: async (c, { query: given }) => {
      const page = given.asOfBlock
        ? render(await readPageAsOf(reads, given, given.asOfBlock))
        : await remembered(reads, c, async () => renderText(await readPage(reads, given)))
      return conditionalResponse(page, c.req.header('if-none-match'))
    },
  })
}

/** Reads a page, and keeps it for whoever asks the same before anything has changed. */
async function remembered(
  { pages }: RelayerReads,
  c: ApiContext,
  read: () => Promise<Rendered>,
): Promise<Rendered> {
  const begun = pages.moment()
  const page = await read()
  const { pathname, search } = new URL(c.req.url)
  const question = questionOf(pathname + search)
  if (question !== null) pages.keep(question, page, page.body.length, begun)
  return page
}

/** The page as JSON. */
async function readPage(reads: RelayerReads, given: Query): Promise<string> {
  const order: IntentOrder = { by: given.orderBy, direction: given.direction }
  const after = given.cursor === undefined ? undefined : intentPlace(given.cursor, order)
  const now = await chainsToRead(reads)
  if (given.sourceChainId !== undefined) requireReady(reads, now, given.sourceChainId)
  const filter = filterOf(given)
  const { heads } = now
  const options = { filter, order, after, limit: given.limit + 1, heads }
  const [{ found, records }, total] = await Promise.all([
    listRecords(reads, now, options),
    given.total === 'true' ? countIntents(reads.db, filter, heads) : undefined,
  ])
  const last = found.length > given.limit ? found[given.limit - 1] : undefined
  const missing = chainsMissing(reads, now)
  const shown = records.slice(0, given.limit).join(',')
  const rest = {
    nextCursor: last ? intentCursor(last.source, order) : null,
    ...(total !== undefined && { total }),
    ...(missing.length > 0 && { notIndexedYet: missing }),
  }
  return `{"success":true,"intents":[${shown}],${JSON.stringify(rest).slice(1)}`
}

async function readPageAsOf(reads: RelayerReads, given: Query, input: AsOfInput) {
  const order: IntentOrder = { by: given.orderBy, direction: given.direction }
  if (order.by === 'updatedAt') {
    throw new BadRequestError('invalid query: orderBy: updatedAt was another one then')
  }
  const after = given.cursor === undefined ? undefined : intentPlace(given.cursor, order)
  const now = await chainsToRead(reads)
  if (given.sourceChainId !== undefined) requireReady(reads, now, given.sourceChainId)
  const asOf = await reads.asOf.at(now, askedBlocks(input, given.sourceChainId))
  const filter = filterOf(given)
  const total = given.total === 'true' ? await reads.asOf.count(filter, asOf) : undefined
  const { limit } = given
  const { intents, next } = await reads.asOf.list({ filter, order, after, limit }, asOf)
  const { chains } = asOf
  const missing = chainsMissing(reads, now)
  return {
    success: true,
    intents: intents.map((stored) => renderIntent(stored, chains.heads, bridgeOf(chains, stored))),
    nextCursor: next && placeCursor(next, order),
    ...(total !== undefined && { total }),
    asOf: renderAsOf(asOf),
    ...(missing.length > 0 && { notIndexedYet: missing }),
  }
}

function filterOf(given: Query): IntentFilter {
  return {
    statuses: given.status,
    sourceChainId: given.sourceChainId,
    destChainId: given.destChainId,
    sender: given.sender,
    solver: given.solver,
    tokenA: given.tokenA,
    tokenB: given.tokenB,
    createdAt: range(given.createdAfter, given.createdBefore),
    updatedAt: range(given.updatedAfter, given.updatedBefore),
    endTime: range(given.endsAfter, given.endsBefore),
    amountA: range(given.minAmountA, given.maxAmountA),
    reward: range(given.minReward, given.maxReward),
  }
}

function range<Value>(from: Value | undefined, to: Value | undefined) {
  return from === undefined && to === undefined ? undefined : { from, to }
}
