import { z } from '@hono/zod-openapi'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { findIntentKeys } from '../../../services/store/intents/intentLookup.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError, NotFoundError } from '../../http/apiError.ts'
import type { Rendered } from '../../http/conditionalResponse.ts'
import { chainInput, hashInput, intentIdInput } from '../../http/valueSchemas.ts'
import { bridgeOf, chainsToRead, notIndexedYet, type ReadContext } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'
import {
  type AsOfInput,
  asOfInput,
  asOfSchema,
  renderAsOf,
  requestedBlocks,
  requireIntentAsOf,
} from './asOfBlock.ts'
import { intentSchema } from './intentSchema.ts'
import { renderIntentCached } from './renderedIntentCache.ts'
import { renderIntent } from './renderIntent.ts'

const answer = success({
  intent: intentSchema,
  asOf: asOfSchema.optional(),
})

/** `GET /intent-details/{intentId}` and `GET /intent-details?txHash=`. */
export function addIntentDetailsRoutes(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intent-details/{intentId}',
    tag: 'Intents',
    summary: 'One intent',
    description: 'Poll it with If-None-Match: the answer is an empty 304 until something changes.',
    params: z.strictObject({ intentId: intentIdInput }),
    query: z.strictObject({
      sourceChainId: chainInput.optional(),
      asOfBlock: asOfInput.optional(),
    }),
    answer,
    failures: [404, 503],
    isConditional: true,
    handler: (input) => readIntent(reads, input),
  })
  addEndpoint(app, {
    method: 'get',
    path: '/intent-details',
    tag: 'Intents',
    summary: 'The intent that a transaction changed',
    description:
      'Any of its transactions: creation, anchor, bid, deposit, delivery, settlement, cancellation, refund.',
    query: z.strictObject({
      txHash: hashInput,
      sourceChainId: chainInput.optional(),
      asOfBlock: asOfInput.optional(),
    }),
    answer,
    failures: [404, 503],
    isConditional: true,
    handler: async ({ txHash, sourceChainId, asOfBlock }) => {
      const key = await intentOfTransaction(reads, txHash, sourceChainId)
      return readIntent(reads, { ...key, asOfBlock })
    },
  })
}

type IntentQuery = {
  intentId: bigint
  sourceChainId?: number | undefined
  asOfBlock?: AsOfInput | undefined
}

async function readIntent(reads: ReadContext, query: IntentQuery): Promise<object | Rendered> {
  const now = await chainsToRead(reads)
  if (query.asOfBlock) return readIntentAsOf(reads, now, query, query.asOfBlock)
  const stored = await requireIntent(reads, now, query)
  return renderIntentCached(stored, now.heads, bridgeOf(now, stored))
}

async function readIntentAsOf(
  reads: ReadContext,
  now: ChainsNow,
  query: IntentQuery,
  blocks: AsOfInput,
): Promise<object> {
  const sourceChain = query.sourceChainId ?? Number(query.intentId >> 64n)
  const asOf = await reads.asOf.at(now, requestedBlocks(blocks, sourceChain))
  const stored = await requireIntentAsOf(reads, now, query, asOf)
  const intent = renderIntent(stored, asOf.chains.heads, bridgeOf(asOf.chains, stored))
  return { intent, asOf: renderAsOf(asOf) }
}

async function intentOfTransaction(
  reads: ReadContext,
  txHash: Hex,
  sourceChainId: number | undefined,
): Promise<IntentKey> {
  const now = await chainsToRead(reads)
  const keys = (await findIntentKeys(reads.db, txHash)).filter(
    (key) => sourceChainId === undefined || key.sourceChainId === sourceChainId,
  )
  const [only, ...others] = keys
  if (only === undefined) {
    const details = notIndexedYet(reads, now)
    throw new NotFoundError(
      'no intent has this transaction',
      'INTENT_NOT_FOUND',
      details.notIndexedYet && details,
    )
  }
  if (others.length === 0) return only
  const candidates = keys.map((key) => ({
    intentId: String(key.intentId),
    sourceChainId: String(key.sourceChainId),
  }))
  throw new BadRequestError(
    'the transaction is about several intents: request one by its id',
    'AMBIGUOUS_TRANSACTION',
    { candidates },
  )
}
