import { z } from '@hono/zod-openapi'
import {
  listStuckIntents,
  type StuckRow,
} from '../../../services/relayer/settlement/listStuckIntents.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import type { AdminGate } from '../../http/auth/adminGate.ts'
import { count, decimalOrNull } from '../../http/valueSchemas.ts'
import type { ReadContext } from '../readContext.ts'
import { findStuckIntentAdvice } from './stuckIntentAdvice.ts'

const LIMIT = 200
const DEFAULT_SECONDS = 60

const query = z.strictObject({
  olderThan: z
    .string()
    .regex(/^\d{1,6}$/, 'expected whole seconds, up to 999999')
    .transform(Number)
    .default(DEFAULT_SECONDS)
    .openapi({ type: 'string', description: 'Seconds without progress. Default 60.' }),
})

const item = z
  .object({
    intentId: z.string().nullable(),
    sourceChainId: z.string().nullable(),
    what: z.string().openapi({ description: 'What should have happened.', example: 'settle' }),
    cause: z.string().openapi({ description: 'Stable code.', example: 'OUT_OF_GAS' }),
    detail: z.string().nullable(),
    advice: z.string().describe('What an operator can do.'),
    attempts: count,
    since: z.string(),
    nextTryAt: z.string().nullable(),
    transaction: z
      .object({ id: z.string(), chainId: z.string(), txHash: z.string().nullable() })
      .nullable(),
  })
  .openapi('Stuck')

const answer = success({ count: count, stuck: z.array(item) }).openapi('StuckAnswer')

/** `GET /stuck`: what is stuck, why, and what an operator can do. */
export function addStuckIntentsRoute(app: App, { db }: ReadContext, gate: AdminGate): void {
  addEndpoint(app, {
    method: 'get',
    path: '/stuck',
    tag: 'Admin',
    summary: 'Intents that are stuck',
    description: `Longest waiting first, at most ${LIMIT}.`,
    isForAdmins: true,
    query,
    answer,
    failures: [401, 403, 503],
    before: (c) => void gate.enter(c),
    handler: async ({ olderThan }) => {
      const rows = await listStuckIntents(db, { afterSeconds: olderThan, limit: LIMIT })
      return { count: rows.length, stuck: rows.map(render) }
    },
  })
}

function render(row: StuckRow): z.input<typeof item> {
  const { intentId, sourceChainId, what, cause, detail, attempts, since, nextTryAt } = row
  return {
    intentId: decimalOrNull(intentId),
    sourceChainId: decimalOrNull(sourceChainId),
    what,
    cause,
    detail,
    advice: findStuckIntentAdvice(cause),
    attempts,
    since: since.toISOString(),
    nextTryAt: nextTryAt?.toISOString() ?? null,
    transaction:
      row.transactionId === null
        ? null
        : { id: String(row.transactionId), chainId: String(row.chainId), txHash: row.txHash },
  }
}
