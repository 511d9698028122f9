import { z } from '@hono/zod-openapi'
import { deriveStatus } from '../../../core/intent/status.ts'
import { textsByName } from '../../../core/validation/textsByName.ts'
import { intentMetadataMessage } from '../../../sdk/messages/intentMetadataMessage.ts'
import { MAX_METADATA_BYTES, MAX_VIEWERS } from '../../../services/enclave/bundleLimits.ts'
import { storeMetadata } from '../../../services/relayer/recipientBundles/intentMetadataStore.ts'
import { BundleError } from '../../../services/relayer/terms/bundleError.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { headerText } from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import { chainIdInput, intentIdInput, payeeInput } from '../../http/valueSchemas.ts'
import { chainsToRead } from '../readContext.ts'
import {
  findIntentInIndexOrChain,
  type IntentToStore,
} from '../recipientBundles/findIntentInIndexOrChain.ts'
import { isSignedBySender } from '../recipientBundles/isSignedBySender.ts'
import { throwBundleApiError } from '../recipientBundles/throwBundleApiError.ts'
import type { WriteContext } from '../writeContext.ts'

const body = z
  .strictObject({
    intentId: intentIdInput,
    chainId: chainIdInput,
    metadata: textsByName.default({}).openapi({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: `All keys and values together: at most ${MAX_METADATA_BYTES} bytes of UTF-8.`,
    }),
    viewers: z
      .array(payeeInput)
      .max(MAX_VIEWERS)
      .default([])
      .describe('Who may read it after settlement.'),
  })
  .openapi('IntentMetadataRequest')

type Body = z.output<typeof body>

const answer = success({ intentId: z.string(), message: z.string() }).openapi(
  'IntentMetadataAnswer',
)

const headers = z.object({
  'x-sender-signature': headerText(
    'The sender’s EIP-191 signature of INTENT_METADATA:<intentId>:<chainId>:<hash>, where <hash> is keccak256 of JSON.stringify([[[key, value], …], viewers]) with pairs sorted by key and viewers in lower case.',
  ),
})

/** `POST /intent-metadata`: stores metadata with an intent, and who else may read its private details. */
export function addIntentMetadataRoute(app: App, context: WriteContext): void {
  addEndpoint(app, {
    method: 'post',
    path: '/intent-metadata',
    tag: 'Private details',
    summary: 'Store metadata and viewers of an intent',
    description:
      'Works once, after the recipients are stored, with the sender’s signature. Repeating the request answers 200. The metadata is sealed and put on chain, so it survives the loss of the database.',
    headers,
    body,
    answer,
    failures: [503],
    handler: async (request, c) => {
      checkSize(request)
      const { chainId: sourceChainId, intentId } = request
      const target = await findIntentInIndexOrChain(context, { sourceChainId, intentId })
      await requireSender(c, context, target, request)
      await store(context, target, request).catch(throwBundleApiError)
      return { intentId: String(intentId), message: 'Metadata stored' }
    },
  })
}

function checkSize({ metadata }: Body): void {
  const texts = Object.entries(metadata).flat()
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > MAX_METADATA_BYTES) {
    throw new BadRequestError('the metadata is too large', 'METADATA_TOO_LARGE', {
      maximum: { bytes: MAX_METADATA_BYTES },
    })
  }
  if (!texts.every((text) => text.isWellFormed())) {
    throw new BadRequestError('the metadata is not well-formed Unicode')
  }
}

async function requireSender(
  c: ApiContext,
  context: WriteContext,
  { terms }: IntentToStore,
  request: Body,
): Promise<void> {
  const message = intentMetadataMessage(terms.intentId, terms.sourceChainId, request)
  if (await isSignedBySender(c, context, terms, message)) return
  throw new BadRequestError('X-Sender-Signature is required', 'SIGNATURE_REQUIRED')
}

async function store(
  { bundles, reads }: WriteContext,
  { terms, stored }: IntentToStore,
  { metadata, viewers }: Body,
): Promise<void> {
  const { heads } = await chainsToRead(reads)
  if (stored && deriveStatus(stored, heads).isTerminal) {
    throw new BundleError('INTENT_CLOSED', 'the intent is over')
  }
  const recipientClass = stored?.source.recipientClass ?? null
  await storeMetadata(bundles, terms, recipientClass, { metadata, viewers })
}
