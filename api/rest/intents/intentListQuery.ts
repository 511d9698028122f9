import { z } from '@hono/zod-openapi'
import { REFUND_STATUSES } from '../../../core/intent/refundSql.ts'
import { STATUSES } from '../../../core/intent/status.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import { INTENT_SORT_COLUMNS } from '../../../services/store/intents/intentSortOrder.ts'
import {
  addressInput,
  amountInput,
  chainInput,
  cursorInput,
  limitInput,
  momentInput,
  type TokenInput,
  tokenInput,
} from '../../http/valueSchemas.ts'
import type { ReadContext } from '../readContext.ts'
import { asOfInput } from './asOfBlock.ts'

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
  solver: addressInput.optional().describe('The winner.'),
  tokenA: tokenInput.optional(),
  tokenB: tokenInput.optional(),
  createdAfter: momentInput.optional().describe('At or after.'),
  createdBefore: momentInput.optional().describe('At or before.'),
  updatedAfter: momentInput.optional(),
  updatedBefore: momentInput.optional(),
  endsAfter: momentInput.optional(),
  endsBefore: momentInput.optional(),
  minAmountA: amountInput.optional(),
  maxAmountA: amountInput.optional(),
  minReward: amountInput.optional(),
  maxReward: amountInput.optional(),
  settledAfter: momentInput.optional().describe('Settled at or after.'),
  settledBefore: momentInput.optional(),
  minFee: amountInput.optional().describe('Only settled intents, with at least this fee.'),
  maxFee: amountInput.optional(),
  orderBy: z
    .enum(INTENT_SORT_COLUMNS)
    .default('createdAt')
    .describe('`settledAt` and `fee` list only settled intents.'),
  direction: z.enum(['asc', 'desc']).default('desc'),
  limit: limitInput(DEFAULT_LIMIT, MAX_LIMIT),
  cursor: cursorInput,
  asOfBlock: asOfInput.optional(),
  total: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'Also count all matches, with most filters up to 10,000, by status up to 1,000: see totalIsExact.',
    ),
})

export type IntentListQuery = z.output<typeof intentListQuery>

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
