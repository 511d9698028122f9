import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { deleteBundle } from '../../services/bundles/deleteBundle.ts'
import { chooseIntent } from '../../services/store/findIntent.ts'
import { finality } from '../../src/intent/finality.ts'
import { unpackIntentId } from '../../src/intent/id.ts'
import { status } from '../../src/intent/status.ts'
import type { ApiEnv } from '../http/apiEnv.ts'
import { BadRequestError, NotFoundError } from '../http/apiError.ts'
import type { AdminGate } from '../http/auth/adminGate.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { chainsToRead, requireReady } from './relayerReads.ts'
import { chainInput, intentIdInput } from './values.ts'
import type { WriteContext } from './writeContext.ts'

const answer = z
  .object({ success: z.literal(true), intentId: z.string(), message: z.string() })
  .openapi('DeleteRecipientsAnswer')

/** `DELETE /delete-recipients/{intentId}`: forgets a bundle that nobody needs any more. */
export function addDeleteRecipients(
  app: OpenAPIHono<ApiEnv>,
  context: WriteContext,
  gate: AdminGate,
): void {
  const tokenIds = new WeakMap<object, string>()
  addEndpoint(app, {
    method: 'delete',
    path: '/delete-recipients/{intentId}',
    tag: 'Admin',
    summary: 'Remove a stored recipient bundle',
    description:
      'Refused with INTENT_IN_PROGRESS from the anchor until the intent has ended and its end is safe from reorgs: until then the bundle is what a winner has to pay. The chain keeps its sealed copy. Journaled.',
    isForAdmins: true,
    params: z.strictObject({ intentId: intentIdInput }),
    query: z.strictObject({ sourceChainId: chainInput.optional() }),
    answer,
    failures: [401, 403, 404, 503],
    before: (c) => void tokenIds.set(c, gate.enter(c)),
    handler: async (c, { params: { intentId }, query }) => {
      const key = { intentId, sourceChainId: query.sourceChainId ?? chainOf(intentId) }
      const facts = await standing(context, key)
      if (facts === 'anchored') throw inProgress()
      const by = { tokenId: tokenIds.get(c) ?? '', requestId: c.get('requestId') }
      const outcome = await deleteBundle(context.vault.db, key, facts === 'over', by)
      if (outcome === 'in_progress') throw inProgress()
      if (outcome === 'not_found') {
        throw notFound()
      }
      c.header('cache-control', 'no-store')
      return c.json({ success: true, intentId: String(intentId), message: 'Recipients deleted' })
    },
  })
}

/** The chain that an id names; 404 for a number that no bridge can have given out. */
function chainOf(intentId: bigint): number {
  try {
    return unpackIntentId(intentId).chainId
  } catch {
    throw notFound()
  }
}

function notFound(): NotFoundError {
  return new NotFoundError('no recipients are stored', 'RECIPIENTS_NOT_FOUND')
}

type Standing = 'open' | 'anchored' | 'over'

/** `over` only when neither a settlement nor a reorg can make the bundle matter again. */
async function standing(
  { reads }: WriteContext,
  { sourceChainId, intentId }: { sourceChainId: number; intentId: bigint },
): Promise<Standing> {
  const now = await chainsToRead(reads)
  requireReady(reads, now, sourceChainId)
  const stored = chooseIntent(await reads.cache.candidates(intentId), sourceChainId)
  if (!stored) return 'open'
  const { isTerminal } = status(stored, now.heads)
  if (isTerminal && finality(stored, now.heads) !== 'latest') return 'over'
  return stored.source.anchorTxHash === null ? 'open' : 'anchored'
}

function inProgress(): BadRequestError {
  return new BadRequestError(
    'the intent is not over: its winner needs the recipients',
    'INTENT_IN_PROGRESS',
  )
}
