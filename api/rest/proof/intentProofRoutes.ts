import { z } from '@hono/zod-openapi'
import { proofDocumentSchema } from '../../../core/proof/proofDocument.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import { addressOf, type IsTrustedProxy } from '../../http/limits/clientAddress.ts'
import { chainInput, intentIdInput, limitInput } from '../../http/valueSchemas.ts'
import type { ApiRoutes } from '../startApi.ts'
import { createEventProver, provableChains } from './eventProver.ts'
import {
  createIntentProofBuilder,
  type IntentProofBuilder,
  proofReads,
  readCursor,
} from './intentProofBuilder.ts'

/** Events proven in one answer. Each may need a whole block from a node. */
const MAX_EVENTS = 64
const DEFAULT_EVENTS = 32

const query = z.strictObject({
  sourceChainId: chainInput.optional(),
  limit: limitInput(DEFAULT_EVENTS, MAX_EVENTS),
  cursor: z.string().max(80).optional(),
})

export const addIntentProofRoutes: ApiRoutes = (app, context) => {
  const chains = provableChains(context.configured)
  const prove = createEventProver({ chains })
  const proofs = createIntentProofBuilder({ reads: proofReads(context), chains, prove })
  addIntentProofRoute(app, { proofs, isTrustedProxy: context.isTrustedProxy })
  return undefined
}

/**
 * `GET /intents/{id}/proof`: for each event the block header, the receipt and its Merkle proof, all verified. See
 * docs/proofs.md.
 */
export function addIntentProofRoute(
  app: App,
  { proofs, isTrustedProxy }: { proofs: IntentProofBuilder; isTrustedProxy: IsTrustedProxy },
): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intents/{id}/proof',
    tag: 'Intents',
    summary: 'A proof of an intent’s events',
    description:
      'Contains for each event the block header, the receipt, and the receipt’s Merkle-Patricia proof against the header. Check it with `npx cairn-verify proof.json --rpc base_sepolia=https://…`. For the next page, pass `page.next` as `cursor`.',
    params: z.strictObject({ id: intentIdInput }),
    query,
    answer: proofDocumentSchema,
    failures: [404, 503],
    isConditional: true,
    handler: async ({ id, sourceChainId, limit, cursor }, c) => {
      const after = cursor === undefined ? null : readCursor(cursor)
      const client = addressOf(c, isTrustedProxy)
      return proofs({ intentId: id, sourceChainId, limit, after, client })
    },
  })
}
