import { z } from '@hono/zod-openapi'
import { getAddress, type Hex } from 'viem'
import { intentPrivateMessage } from '../../../sdk/messages/intentPrivateMessage.ts'
import {
  findMetadata,
  type Metadata,
  recordPrivateRead,
} from '../../../services/relayer/recipientBundles/intentMetadataStore.ts'
import type { PlainReveal } from '../../../services/relayer/settlement/revealReader.ts'
import { type IntentTerms, toIntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { ApiError, BadRequestError } from '../../http/apiError.ts'
import {
  addressHeader,
  freshTimestamp,
  notSignedBy,
  signatureHeader,
  timestampHeader,
} from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import { address, amount, byIntentId } from '../../http/valueSchemas.ts'
import { bridgeOf, chainsToRead } from '../readContext.ts'
import {
  revealRecipientsToWinner,
  winnersPayments,
} from '../recipientBundles/revealRecipientsToWinner.ts'
import { throwBundleApiError } from '../recipientBundles/throwBundleApiError.ts'
import { requireIntent } from '../requireIntent.ts'
import type { WriteContext } from '../writeContext.ts'

const answer = success({
  intentId: z.string(),
  sourceChainId: z.string(),
  recipients: z.array(address),
  amounts: z.array(amount).describe('What each recipient was paid.'),
  metadata: z.record(z.string(), z.string()),
  viewers: z.array(address),
}).openapi('IntentPrivate')

const headers = z.object({
  'x-reader-address': z.string().describe('The sender, or one of the viewers.'),
  'x-reader-signature': z
    .string()
    .describe(
      'The reader’s EIP-191 signature of INTENT_PRIVATE:<intentId>:<sourceChainId>:<timestamp>.',
    ),
  'x-timestamp': timestampHeader,
})

/** `GET /intent-private/{intentId}`: a settled intent's private details, for its sender and viewers. */
export function addPrivateIntentDetailsRoute(app: App, context: WriteContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intent-private/{intentId}',
    tag: 'Private details',
    summary: 'Recipients and metadata, for the sender and the viewers',
    description:
      'After settlement, with a signed timestamp. A reader’s reads are recorded once an hour.',
    ...byIntentId,
    headers,
    answer,
    failures: [403, 404, 503],
    handler: async (input, c) => {
      const reader = addressHeader(c, 'X-Reader-Address', 'the reader’s')
      const now = await chainsToRead(context.reads)
      const stored = await requireIntent(context.reads, now, input)
      const terms = toIntentTerms(stored.source, bridgeOf(now, stored).address)
      const found = await findMetadata(context.bundles, terms, stored.source.recipientClass).catch(
        throwBundleApiError,
      )
      const described = found ?? { metadata: {}, viewers: [] }
      const role = roleOf(reader, terms, described)
      await requireSigned(c, context, stored, { reader, role })
      if (role === null) throw notAReader()
      requireSettled(stored)
      const { plain } = context.reveals
      const revealed = await revealRecipientsToWinner(context, now, stored, null, plain)
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
  context: WriteContext,
  { source: { intentId, sourceChainId } }: StoredIntent,
  { reader, role }: { reader: Hex; role: Role | null },
): Promise<void> {
  const signature = signatureHeader(c, 'x-reader-signature')
  if (signature === null) {
    throw new BadRequestError('X-Reader-Signature is required', 'SIGNATURE_REQUIRED')
  }
  const timestamp = freshTimestamp(c, context.now())
  const message = intentPrivateMessage(intentId, sourceChainId, timestamp)
  const signed = { message, signature, address: reader }
  // For any reader: otherwise the nodes’ answers, or their timing, would show a stranger that an address is a viewer's.
  const mayBeUndeployed = role !== 'sender'
  const isSigned = await context.isSigned(c, signed, sourceChainId, { mayBeUndeployed })
  if (!isSigned) throw notSignedBy('the reader’s', message)
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
  const words = 'the intent is not settled: its details can be read once it is'
  throw new ApiError(words, { status: 403, code: 'NOT_SETTLED' })
}

/**
 * Refuses a reader whom only database rows name, which could be forged. The proven `paramsHash` shows who the sender
 * is. A bundle that names viewers must also name the revealed recipients, which a forger doesn't know.
 */
function requireProven(
  { message, namingHash }: PlainReveal,
  terms: IntentTerms,
  naming: Hex | null,
): void {
  const claimed = paramsHash({ ...terms, chainId: terms.sourceChainId })
  if (claimed !== message.paramsHash || naming !== namingHash) throw notAReader()
}
