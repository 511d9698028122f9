import { z } from '@hono/zod-openapi'
import { unpackIntentId } from '../../../core/intent/intentId.ts'
import { deleteBundle } from '../../../services/relayer/recipientBundles/recipientBundleStore.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { NotFoundError } from '../../http/apiError.ts'
import type { AdminGate } from '../../http/auth/adminGate.ts'
import { byIntentId } from '../../http/valueSchemas.ts'
import { chainsToRead, requireReady } from '../readContext.ts'
import type { WriteContext } from '../writeContext.ts'

const answer = success({ intentId: z.string(), message: z.string() }).openapi(
  'DeleteRecipientsAnswer',
)

/** `DELETE /delete-recipients/{intentId}`: deletes a stored bundle. */
export function addDeleteRecipientsRoute(app: App, context: WriteContext, gate: AdminGate): void {
  const tokenIds = new WeakMap<object, string>()
  addEndpoint(app, {
    method: 'delete',
    path: '/delete-recipients/{intentId}',
    tag: 'Admin',
    summary: 'Remove a stored recipient bundle',
    description:
      'Deletes a bundle that isn’t on chain yet. Sealed blobs on chain stay and still count. Each deletion is recorded.',
    isForAdmins: true,
    ...byIntentId,
    answer,
    failures: [401, 403, 404, 503],
    before: (c) => void tokenIds.set(c, gate.enter(c)),
    handler: async ({ intentId, sourceChainId = chainOf(intentId) }, c) => {
      const { reads, bundles } = context
      // Until the chain is indexed it is unknown what is on chain.
      requireReady(reads, await chainsToRead(reads), sourceChainId)
      const by = { tokenId: tokenIds.get(c) ?? '', requestId: c.get('requestId') }
      const outcome = await deleteBundle(bundles.db, { intentId, sourceChainId }, by)
      if (outcome === 'not_found') throw notFound()
      return { intentId: String(intentId), message: 'Recipients deleted' }
    },
  })
}

/** The chain in an intent id; 404 for a number that can't be an intent id. */
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
