import { z } from '@hono/zod-openapi'
import { listBundles } from '../../../services/relayer/recipientBundles/recipientBundleStore.ts'
import { decodeCursor, encodeCursor } from '../../../services/store/database/paginationCursor.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import type { AdminGate } from '../../http/auth/adminGate.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import {
  chainId,
  count,
  cursorInput,
  intentId,
  limitInput,
  moment,
} from '../../http/valueSchemas.ts'
import type { WriteContext } from '../writeContext.ts'

const MAX_LIMIT = 500
const DEFAULT_LIMIT = 100
/** The list that cursors name. */
const LIST = 'stored-intents'

const query = z.strictObject({
  limit: limitInput(DEFAULT_LIMIT, MAX_LIMIT),
  cursor: cursorInput,
})

const answer = success({
  count: count,
  intents: z.array(
    z.object({
      intentId,
      sourceChainId: chainId,
      n: count.describe('The sender’s number for this bundle: the highest counts.'),
      isSigned: z.boolean().describe('Whether the sender has signed it.'),
      isDisputed: z.boolean().describe('Whether different unsigned recipients arrived too.'),
      storedAt: moment,
      sealed: z.string().describe('The bundle, sealed to the enclaves.'),
    }),
  ),
  nextCursor: z.string().nullable(),
}).openapi('StoredIntents')

/** `GET /list-stored-intents`: all stored bundles, sealed. */
export function addStoredBundlesRoute(app: App, { bundles }: WriteContext, gate: AdminGate): void {
  addEndpoint(app, {
    method: 'get',
    path: '/list-stored-intents',
    tag: 'Admin',
    summary: 'All stored recipient bundles, sealed',
    isForAdmins: true,
    query,
    answer,
    failures: [401, 403, 503],
    before: (c) => void gate.enter(c),
    handler: async ({ limit, cursor }) => {
      const after = cursor === undefined ? null : readCursor(cursor)
      const found = await listBundles(bundles.db, { after, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      return {
        count: page.length,
        intents: page.map((bundle) => ({
          intentId: String(bundle.intentId),
          sourceChainId: String(bundle.sourceChainId),
          n: bundle.n,
          isSigned: bundle.isSigned,
          isDisputed: bundle.isDisputed,
          storedAt: toIsoTime(bundle.storedAt),
          sealed: bundle.sealed,
        })),
        nextCursor: last ? encodeCursor(LIST, [last.sourceChainId, last.intentId]) : null,
      }
    },
  })
}

function readCursor(cursor: string): IntentKey {
  const [chain, id] = decodeCursor(LIST, ['integer', 'numeric'], cursor) as [string, string]
  return { sourceChainId: Number(chain), intentId: BigInt(id) }
}
