import { z } from '@hono/zod-openapi'
import { REFUND_STATUSES } from '../../../core/intent/refundSql.ts'
import { STATUSES } from '../../../core/intent/status.ts'
import { countUpTo } from '../../../services/store/intents/countIntents.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import {
  INTENT_ORDERS,
  type IntentOrder,
  intentCursor,
  intentPlace,
} from '../../../services/store/intents/intentOrder.ts'
import { settledOnly } from '../../../services/store/intents/listIntents.ts'
import { concatenateAsUtf8 } from '../../http/concatenateAsUtf8.ts'
import { entityTag, type Rendered } from '../../http/conditionalResponse.ts'
import {
  addressInput,
  amountInput,
  chainInput,
  limitInput,
  momentInput,
  type TokenInput,
  tokenInput,
} from '../../http/valueSchemas.ts'
import { chainsToRead, notIndexedYet, type ReadContext, requireReady } from '../readContext.ts'
import { asOfInput } from './asOfBlock.ts'
import { listIntentRecords } from './listIntentRecords.ts'

/** The JSON around the record in the answer about one intent. */
const BEFORE = '{"success":true,"intent":'
const AFTER = '}'

const MAX_LIMIT = 200
const DEFAULT_LIMIT = 50

const statusList = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(STATUSES)).max(STATUSES.length))
  .openapi({
    type: 'string',
    example: 'pending,solving',
    description: 'One or more, comma-separated.',
  })

const refundList = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(REFUND_STATUSES)).max(REFUND_STATUSES.length))
  .openapi({
    type: 'string',
    example: 'due',
    description: 'Only intents with a refund of this status; one or more, comma-separated.',
  })

/** The query of `GET /intents`. */
export const intentListQuery = z.strictObject({
  status: statusList.optional(),
  refundStatus: refundList.optional(),
  sourceChainId: chainInput.optional(),
  destChainId: chainInput.optional(),
  sender: addressInput.optional(),
  solver: addressInput.optional().openapi({ description: 'The winner.' }),
  tokenA: tokenInput.optional(),
  tokenB: tokenInput.optional(),
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
  settledAfter: momentInput.optional().openapi({ description: 'Settled at or after.' }),
  settledBefore: momentInput.optional(),
  minFee: amountInput
    .optional()
    .openapi({ description: 'Only settled intents, with at least this fee.' }),
  maxFee: amountInput.optional(),
  orderBy: z
    .enum(INTENT_ORDERS)
    .default('createdAt')
    .openapi({ description: '`settledAt` and `fee` list only settled intents.' }),
  direction: z.enum(['asc', 'desc']).default('desc'),
  limit: limitInput(DEFAULT_LIMIT, MAX_LIMIT),
  cursor: z
    .string()
    .max(512)
    .optional()
    .openapi({ description: '`nextCursor` of the previous page.' }),
  asOfBlock: asOfInput.optional(),
  total: z.enum(['true', 'false']).default('false').openapi({
    description:
      'Also count all matches, with most filters up to 10,000, by status up to 1,000: see totalIsExact.',
  }),
})

export type IntentListQuery = z.output<typeof intentListQuery>

/** A page of intents in their current state. Throws CursorError and INDEX_NOT_READY. */
export async function readIntentPage(
  reads: ReadContext,
  given: IntentListQuery,
): Promise<Rendered<Buffer<ArrayBuffer>>> {
  const order: IntentOrder = { by: given.orderBy, direction: given.direction }
  const after = given.cursor === undefined ? undefined : intentPlace(given.cursor, order)
  const now = await chainsToRead(reads)
  if (given.sourceChainId !== undefined) requireReady(reads, now, given.sourceChainId)
  const filter = await filtersOf(reads, given)
  const { heads } = now
  const options = { filter, order, after, limit: given.limit + 1, heads }
  const [{ found, answers }, total] = await Promise.all([
    listIntentRecords(reads, now, options),
    given.total === 'true' ? countUpTo(reads.db, settledOnly(filter, order), heads) : null,
  ])
  const last = found.length > given.limit ? found[given.limit - 1] : undefined
  const rest = {
    nextCursor: last ? intentCursor(last.source, order) : null,
    ...(total && { total: total.count }),
    ...(total?.isExact === false && { totalIsExact: false }),
    ...notIndexedYet(reads, now),
  }
  const shown = answers.slice(0, given.limit)
  const records = shown.flatMap(({ body }, n) => {
    const record = body.slice(BEFORE.length, -AFTER.length)
    return n === 0 ? record : [',', record]
  })
  const end = `],${JSON.stringify(rest).slice(1)}`
  const body = concatenateAsUtf8(['{"success":true,"intents":[', ...records, end])
  // Made from the records' tags, which are cached: hashing the whole page takes a tenth of the request's time.
  const etag = entityTag([...shown.map(({ etag }) => etag), end].join())
  return { body, bytes: body.length, etag }
}

/** A query's filters: one for each token that a symbol stands for, and none for an unknown symbol. */
export async function filtersOf(
  { tokens }: Pick<ReadContext, 'tokens'>,
  given: IntentListQuery,
): Promise<IntentFilter[]> {
  const addresses = async (input: TokenInput | undefined) => {
    if (input === undefined) return [undefined]
    return 'address' in input ? [input.address] : tokens.addressesOf(input.symbol)
  }
  const [as, bs] = await Promise.all([addresses(given.tokenA), addresses(given.tokenB)])
  const filter = filterOf(given)
  return as.flatMap((tokenA) => bs.map((tokenB) => ({ ...filter, tokenA, tokenB })))
}

function filterOf(given: IntentListQuery): IntentFilter {
  return {
    statuses: given.status,
    refunds: given.refundStatus,
    sourceChainId: given.sourceChainId,
    destChainId: given.destChainId,
    sender: given.sender,
    solver: given.solver,
    createdAt: range(given.createdAfter, given.createdBefore),
    updatedAt: range(given.updatedAfter, given.updatedBefore),
    endTime: range(given.endsAfter, given.endsBefore),
    amountA: range(given.minAmountA, given.maxAmountA),
    reward: range(given.minReward, given.maxReward),
    settledAt: range(given.settledAfter, given.settledBefore),
    fee: range(given.minFee, given.maxFee),
  }
}

function range<Value>(from: Value | undefined, to: Value | undefined) {
  return from === undefined && to === undefined ? undefined : { from, to }
}
