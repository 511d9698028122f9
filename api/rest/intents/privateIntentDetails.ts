import { z } from '@hono/zod-openapi'
import { getAddress, type Hex } from 'viem'
import { intentPrivateMessage } from '../../../sdk/messages/intentPrivate.ts'
import type { ResponseOf } from '../../../services/enclave/enclaveInterface.ts'
import {
  findMetadata,
  type Metadata,
  recordPrivateRead,
} from '../../../services/relayer/bundles/intentMetadata.ts'
import { type IntentTerms, termsOf } from '../../../services/relayer/terms/intentTerms.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import type { ApiContext } from '../../http/apiEnv.ts'
import { ApiError, BadRequestError } from '../../http/apiError.ts'
import { isSignedBy } from '../../http/auth/isSignedBy.ts'
import {
  addressHeader,
  freshTimestamp,
  notSignedBy,
  signatureHeader,
  timestampHeader,
} from '../../http/auth/signatureHeaders.ts'
import { address, amount, chainInput, intentIdInput } from '../../http/valueSchemas.ts'
import { storeFailure } from '../bundles/storeFailure.ts'
import { winnersPayments, winnersRecipients } from '../bundles/winnersRecipients.ts'
import { bridgeOf, chainsToRead, requireIntent } from '../readContext.ts'
import type { WriteContext } from '../writeContext.ts'

const answer = z
  .object({
    success: z.literal(true),
    intentId: z.string(),
    sourceChainId: z.string(),
    recipients: z.array(address),
    amounts: z.array(amount).openapi({ description: 'What each of them was paid.' }),
    metadata: z.record(z.string(), z.string()),
    viewers: z.array(address),
  })
  .openapi('IntentPrivate')

const headers = z.object({
  'x-reader-address': z.string().openapi({ description: 'The sender, or one of the viewers.' }),
  'x-reader-signature': z.string().openapi({
    description:
      'EIP-191, by the reader, of INTENT_PRIVATE:<intentId>:<sourceChainId>:<timestamp>.',
  }),
  'x-timestamp': timestampHeader,
})

/** `GET /intent-private/{intentId}`: a settled intent's private details, for those whom the sender named. */
export function addIntentPrivate(app: App, context: WriteContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intent-private/{intentId}',
    tag: 'Private details',
    summary: 'Recipients and metadata, for the sender and the viewers',
    description: 'After settlement, by a signature with a timestamp. Every read is recorded.',
    params: z.strictObject({ intentId: intentIdInput }),
    query: z.strictObject({ sourceChainId: chainInput.optional() }),
    headers,
    answer,
    failures: [403, 404, 503],
    handler: async (input, c) => {
      const reader = addressHeader(c, 'X-Reader-Address', 'the reader’s')
      const now = await chainsToRead(context.reads)
      const stored = await requireIntent(context.reads, now, input)
      const terms = termsOf(stored.source, bridgeOf(now, stored).address)
      const found = await findMetadata(context.bundles, terms, stored.source.recipientClass).catch(
        storeFailure,
      )
      const described = found ?? { metadata: {}, viewers: [] }
      const role = roleOf(reader, terms, described)
      await requireSigned(c, context, stored, { reader, role })
      if (role === null) throw notAReader()
      requireSettled(stored)
      const { answer: revealed } = await winnersRecipients(context, now, stored)
      const naming = role === 'viewer' ? (found?.namingHash ?? null) : revealed.namingHash
      requireProven(revealed, terms, naming)
      const entry = { reader, role, requestId: c.get('requestId') }
      await recordPrivateRead(context.bundles.db, terms, entry)
      return {
        intentId: String(terms.intentId),
        sourceChainId: String(terms.sourceChainId),
        ...winnersPayments(revealed),
        metadata: described.metadata,
        viewers: described.viewers.map((viewer) => getAddress(viewer)),
      }
    },
  })
}

async function requireSigned(
  c: ApiContext,
  { accountsOn, now }: WriteContext,
  { source: { intentId, sourceChainId } }: StoredIntent,
  { reader, role }: { reader: Hex; role: Role | null },
): Promise<void> {
  const signature = signatureHeader(c, 'x-reader-signature')
  if (signature === null) {
    throw new BadRequestError('X-Reader-Signature is required', 'SIGNATURE_REQUIRED')
  }
  const timestamp = freshTimestamp(c, now())
  const message = intentPrivateMessage(intentId, sourceChainId, timestamp)
  const signed = { message, signature, address: reader }
  // No chain is asked on behalf of an unrelated account.
  const chain = role === null ? null : accountsOn(sourceChainId)
  const isSigned = await isSignedBy(signed, chain, { mayBeUndeployed: role === 'viewer' })
  if (!isSigned) throw notSignedBy('the reader’s')
}

type Role = 'sender' | 'viewer'

function roleOf(reader: Hex, { user }: IntentTerms, { viewers }: Metadata): Role | null {
  if (reader === user) return 'sender'
  return viewers.includes(reader) ? 'viewer' : null
}

function notAReader(): ApiError {
  const words = 'only the intent’s sender and the viewers it named may read this'
  return new ApiError(words, { status: 403, code: 'NOT_A_READER' })
}

function requireSettled({ source }: StoredIntent): void {
  if (source.settleTxHash !== null) return
  throw new ApiError('the intent is not settled', { status: 403, code: 'NOT_SETTLED' })
}

/**
 * Refuses readers that only our rows name. The chain's proofs show who the sender is. A bundle that names viewers must
 * name the revealed recipients as well, which a forger doesn't know.
 */
function requireProven(
  { message, namingHash }: ResponseOf<'revealToWinner'>,
  terms: IntentTerms,
  naming: Hex | null,
): void {
  const claimed = paramsHash({ ...terms, chainId: terms.sourceChainId })
  if (claimed !== message.paramsHash || naming !== namingHash) throw notAReader()
}
