import { type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Hex } from 'viem'
import { storeRecipientsMessage } from '../../sdk/messages/storeRecipients.ts'
import { BundleError } from '../../services/bundles/bundleError.ts'
import type { CiphertextDigests } from '../../services/bundles/ciphertextDigests.ts'
import { findBundle } from '../../services/bundles/findBundle.ts'
import { screenRecipients } from '../../services/bundles/screenRecipients.ts'
import { storeBundle } from '../../services/bundles/storeBundle.ts'
import { storeCreationBlob } from '../../services/bundles/storeCreationBlob.ts'
import { MAX_RECIPIENTS } from '../../services/enclave/fields.ts'
import type { BundleContents } from '../../services/enclave/port.ts'
import { status } from '../../src/intent/status.ts'
import type { ApiContext, ApiEnv } from '../http/apiEnv.ts'
import { isSignedBy } from '../http/auth/isSignedBy.ts'
import { headerText, notSignedBy, signatureHeader } from '../http/auth/signatureHeaders.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { type IntentToStore, intentToStore } from './intentToStore.ts'
import { chainsToRead } from './relayerReads.ts'
import { storeFailure } from './storeFailure.ts'
import { chainIdInput, hexInput, intentIdInput, payeeInput, wireAmountInput } from './values.ts'
import type { WriteContext } from './writeContext.ts'

/** When the plaintext body became deprecated (RFC 9745), and when it goes (RFC 8594). */
const DEPRECATED_SINCE = '@1767225600'
const GOES_ON = 'Fri, 31 Dec 2027 23:59:59 GMT'

const body = z
  .strictObject({
    intentId: intentIdInput,
    chainId: chainIdInput,
    encryptedData: hexInput.optional().openapi({
      description: 'ECIES ciphertext of the bundle, for the key of GET /ecies-pubkey.',
    }),
    recipients: z
      .array(payeeInput)
      .max(MAX_RECIPIENTS)
      .optional()
      .openapi({ deprecated: true, description: 'Deprecated: use encryptedData.' }),
    amounts: z.array(wireAmountInput).max(MAX_RECIPIENTS).optional().openapi({ deprecated: true }),
  })
  .refine(isOneOfBoth, 'expected encryptedData, or recipients and amounts')
  .openapi('StoreRecipientsRequest')

type Body = z.output<typeof body>

function isOneOfBoth(given: { encryptedData?: unknown; recipients?: unknown; amounts?: unknown }) {
  const isPlain = given.recipients !== undefined && given.amounts !== undefined
  const isAnyPlain = given.recipients !== undefined || given.amounts !== undefined
  return given.encryptedData === undefined ? isPlain : !isAnyPlain
}

const answer = z
  .object({ success: z.literal(true), intentId: z.string(), message: z.string() })
  .openapi('StoreRecipientsAnswer')

const headers = z.object({
  'x-sender-signature': headerText(
    'Only to replace what is stored: EIP-191, by the intent’s sender, of STORE_RECIPIENTS:<intentId>:<chainId>:<keccak256(encryptedData)>.',
  ),
})

/** `POST /store-recipients`: who shall receive, as ciphertext (or, deprecated, in clear). */
export function addStoreRecipients(app: OpenAPIHono<ApiEnv>, context: WriteContext): void {
  addEndpoint(app, {
    method: 'post',
    path: '/store-recipients',
    tag: 'Recipients',
    summary: 'Store who shall receive an intent',
    description:
      'Call it after createIntent has mined. The first bundle wins; the same again answers 200. Another one is refused unless the intent’s sender signs it and nobody has deposited.',
    headers,
    body,
    answer,
    failures: [503],
    handler: async (c, { body: given }) => {
      c.header('cache-control', 'no-store')
      if (given.encryptedData === undefined) {
        c.header('deprecation', DEPRECATED_SINCE)
        c.header('sunset', GOES_ON)
      }
      const { outcome } = await store(c, context, given).catch(storeFailure)
      const message = outcome === 'replaced' ? 'Recipients replaced' : 'Recipients stored'
      return c.json({ success: true, intentId: String(given.intentId), message })
    },
  })
}

async function store(c: ApiContext, context: WriteContext, given: Body) {
  const { vault } = context
  const key = { sourceChainId: given.chainId, intentId: given.intentId }
  const target = await intentToStore(context, key)
  const replace = await isSignedBySender(c, context, target, given.encryptedData)
  const bundle = await openBundle(context, target, given)
  // What the sender attached to the creation comes before anything that somebody sends to us.
  if (target.creationBlob !== '0x' && !(await findBundle(vault.db, key))) {
    await storeCreationBlob(vault, target.terms, target.creationBlob)
  }
  const isFirst = !(await findBundle(vault.db, key))
  if (isFirst || replace) await requireOpen(context, target, isFirst)
  if (isFirst || replace) await screen(context, target, bundle.contents)
  const isAnchored = (target.stored?.source.anchorTxHash ?? null) !== null
  return storeBundle(vault, { ...bundle, terms: target.terms, replace, isAnchored })
}

type Opened = {
  contents: BundleContents
  origin: 'encrypted' | 'plaintext'
  ciphertext: CiphertextDigests | null
}

async function openBundle(
  { enclave }: WriteContext,
  { terms }: IntentToStore,
  { encryptedData, recipients = [], amounts = [] }: Body,
): Promise<Opened> {
  if (encryptedData === undefined) {
    return { contents: { recipients, amounts }, origin: 'plaintext', ciphertext: null }
  }
  const { sourceChainId, intentId, user: sender } = terms
  const opened = await enclave.openBundle({
    ciphertext: encryptedData,
    ...{ sourceChainId, intentId, sender },
  })
  const { ciphertext, ...contents } = opened
  return { contents, origin: 'encrypted', ciphertext }
}

/** Without the header nothing is replaced; with a wrong one nothing is stored. */
async function isSignedBySender(
  c: ApiContext,
  { clientOf }: WriteContext,
  { terms: { sourceChainId, intentId, user: address } }: IntentToStore,
  encryptedData: Hex | undefined,
): Promise<boolean> {
  const signature = signatureHeader(c, 'x-sender-signature')
  if (signature === null || encryptedData === undefined) return false
  const message = storeRecipientsMessage(intentId, sourceChainId, encryptedData)
  const isSigned = await isSignedBy({ message, signature, address }, clientOf(sourceChainId))
  if (!isSigned) throw notSignedBy('the intent’s sender’s')
  return true
}

/**
 * Recipients can still come to matter: nobody has deposited, the intent is not over, and a first bundle
 * can still be anchored. An intent that is anchored has recipients on chain even if their row is lost.
 */
async function requireOpen(
  { reads }: WriteContext,
  { stored }: IntentToStore,
  isFirst: boolean,
): Promise<void> {
  if (stored === null) return
  const { heads } = await chainsToRead(reads)
  const { source } = stored
  if (isFirst && source.anchorTxHash !== null) {
    throw new BundleError('ALREADY_STORED', 'Recipients already stored')
  }
  const clock = heads.get(source.sourceChainId)?.timestamp ?? 0
  const isPending = status(stored, heads).status === 'pending'
  if (isPending && clock < source.endTime) return
  if (!isFirst && source.depositTxHash !== null) {
    throw new BundleError('ALREADY_STORED', 'Recipients already stored')
  }
  throw new BundleError('INTENT_CLOSED', 'the intent takes no recipients any more')
}

async function screen(
  { clientOf }: WriteContext,
  { terms }: IntentToStore,
  { recipients }: BundleContents,
): Promise<void> {
  const destination = clientOf(terms.destChainId)
  if (destination) await screenRecipients(destination, terms.tokenB, recipients)
}
