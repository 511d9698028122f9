import { z } from '@hono/zod-openapi'
import { proofDocumentSchema } from '../../../core/proof/proofDocument.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import {
  BadRequestError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from '../../http/apiError.ts'
import { addressOf, type Trusts } from '../../http/limits/clientAddress.ts'
import { chainInput, intentIdInput } from '../../http/valueSchemas.ts'
import { limitInput } from '../intents/limitInput.ts'
import { type IntentProofs, readCursor } from './intentProofs.ts'
import { ProofBudgetExceeded, ProofFailure } from './proofFailure.ts'

/** Events proven in one answer, at most and unless asked otherwise. Each costs its chain a whole block. */
const MOST_EVENTS = 64
const USUAL_EVENTS = 32

const query = z.strictObject({
  sourceChainId: chainInput.optional(),
  limit: limitInput(USUAL_EVENTS, MOST_EVENTS),
  cursor: z.string().max(80).optional(),
})

/**
 * Adds `GET /intents/{id}/proof`: for each event of an intent the block header, the receipt and its
 * Merkle proof. Only what verifies is served; see docs/proofs.md.
 */
export function addProofEndpoint(
  app: App,
  { proofs, trusts }: { proofs: IntentProofs; trusts: Trusts },
): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intents/{id}/proof',
    tag: 'Intents',
    summary: "Proof of an intent's events",
    description:
      'For each event the block header, the transaction receipt and a Merkle-Patricia proof of it against the header. Check it with `npx cairn-verify proof.json --rpc base_sepolia=https://…`. Long histories come in pages: pass `page.next` as `cursor`.',
    params: z.strictObject({ id: intentIdInput }),
    query,
    answer: proofDocumentSchema,
    failures: [404, 503],
    isConditional: true,
    handler: async ({ id, sourceChainId, limit, cursor }, c) => {
      const after = cursor === undefined ? null : readCursor(cursor)
      if (cursor !== undefined && after === null) {
        throw new BadRequestError('the cursor is not one of this API’s', 'INVALID_CURSOR')
      }
      const client = addressOf(c, trusts)
      const request = { intentId: id, sourceChainId, limit, after, client }
      const document = await proofs.prove(request).catch(asApiError)
      if (document === null) throw new NotFoundError('no such intent', 'INTENT_NOT_FOUND')
      return document
    },
  })
}

function asApiError(error: unknown): never {
  if (error instanceof ProofBudgetExceeded)
    throw new RateLimitedError(error.retryAfterSeconds, error.notice)
  if (error instanceof ProofFailure) {
    throw new UnavailableError(error.message, error.code, error.retryAfterSeconds, error)
  }
  throw error
}
