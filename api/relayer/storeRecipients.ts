import { type OpenAPIHono, z } from '@hono/zod-openapi'
import type { Hex } from 'viem'
import { storeRecipientsMessage } from '../../sdk/messages/storeRecipients.ts'
import { BundleError } from '../../services/bundles/bundleError.ts'
import { bundleStanding } from '../../services/bundles/bundleStanding.ts'
import type { BundleVault } from '../../services/bundles/bundleVault.ts'
import type { CiphertextDigests } from '../../services/bundles/ciphertextDigests.ts'
import type { IntentTerms } from '../../services/bundles/intentTerms.ts'
import { loadBlobsOnChain } from '../../services/bundles/loadBlobsOnChain.ts'
import { openBlobsOnChain } from '../../services/bundles/openBlobsOnChain.ts'
import { screenRecipients } from '../../services/bundles/screenRecipients.ts'
import { mustBeSigned, type StoreOutcome, storeBundle } from '../../services/bundles/storeBundle.ts'
import { storeCreationFirst } from '../../services/bundles/storeCreationFirst.ts'
import { MAX_RECIPIENTS } from '../../services/enclave/fields.ts'
import type { BundleContents } from '../../services/enclave/port.ts'
import { status } from '../../src/intent/status.ts'
import type { ApiContext, ApiEnv } from '../http/apiEnv.ts'
import { headerText } from '../http/auth/signatureHeaders.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { type IntentToStore, intentToStore } from './intentToStore.ts'
import { isSignedBySender } from './isSignedBySender.ts'
import { callerTag } from './recipient/callerTag.ts'
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
  .object({
    success: z.literal(true),
    intentId: z.string(),
    message: z.string(),
    status: z.enum(['waiting', 'on_chain', 'too_late']).openapi({
      description:
        'Where these recipients are: on their way to the chain, on chain, or not there when a solver deposited. The last that are on chain before the deposit count. Send the same request again to see.',
    }),
  })
  .openapi('StoreRecipientsAnswer')

const headers = z.object({
  'x-sender-signature': headerText(
    'To replace what is stored, and in strict mode for the first bundle of an intent whose creation carried none: EIP-191, by the intent’s sender, of STORE_RECIPIENTS:<intentId>:<chainId>:<keccak256(encryptedData)>.',
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
      'Call it after createIntent has mined. What the creation carried comes first, then the first bundle that is sent; in strict mode its sender must sign it. The same again answers 200. Another one is refused unless the intent’s sender signs it and nobody has deposited.',
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
      const { outcome, bundle } = await store(c, context, given).catch(storeFailure)
      const message = MESSAGES[outcome]
      const chain = await loadBlobsOnChain(context.vault.db, bundle)
      const standing = bundleStanding(bundle.sealed, chain)
      const intentId = String(given.intentId)
      return c.json({ success: true, intentId, message, status: standing })
    },
  })
}

const MESSAGES: Record<StoreOutcome['outcome'], string> = {
  stored: 'Recipients stored',
  already: 'Recipients stored',
  replaced: 'Recipients replaced',
  appended: 'Recipients stored: they replace the anchored ones once they are on chain',
}

async function store(c: ApiContext, context: WriteContext, given: Body): Promise<StoreOutcome> {
  const { vault, authMode } = context
  const key = { sourceChainId: given.chainId, intentId: given.intentId }
  const target = await intentToStore(context, key)
  const { terms } = target
  const isSigned = await isBundleSigned(c, context, terms, given.encryptedData)
  const first = await storeCreationFirst(vault, terms, target.creationBlob)
  const isFirst = first !== 'stored'
  const mayBeFirst = isSigned || (authMode === 'compat' && first !== 'refused')
  if (isFirst && !mayBeFirst) throw mustBeSigned()
  const bundle = await openBundle(context, target, given)
  if (isFirst || isSigned) {
    await requireOpen(context, target, isFirst)
    await screen(context, target, bundle.contents)
  }
  const isAnchored = (target.stored?.source.anchorTxHash ?? null) !== null
  const caller = isSigned ? null : await callerTag(c, context)
  const more = { replace: isSigned, isAnchored, mayBeFirst, caller }
  return storeBundle(vault, { ...bundle, terms, ...more })
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

/** A bundle in clear can't be signed: there is no message for it. */
async function isBundleSigned(
  c: ApiContext,
  context: WriteContext,
  terms: IntentTerms,
  encryptedData: Hex | undefined,
): Promise<boolean> {
  if (encryptedData === undefined) return false
  const message = storeRecipientsMessage(terms.intentId, terms.sourceChainId, encryptedData)
  return isSignedBySender(c, context, terms, message)
}

/**
 * Recipients can still come to matter: nobody has deposited, the intent is not over, and a first bundle
 * can still go on chain. An intent that is anchored has recipients there even if their row is lost,
 * unless it was anchored for a creation that a reorg took away.
 */
async function requireOpen(
  { reads, vault }: WriteContext,
  { stored, terms }: IntentToStore,
  isFirst: boolean,
): Promise<void> {
  if (stored === null) return
  const { heads } = await chainsToRead(reads)
  const { source } = stored
  const mayBeNamed = isFirst && source.anchorTxHash !== null
  if (mayBeNamed && (await isNamedOnChain(vault, terms))) {
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

async function isNamedOnChain(vault: BundleVault, terms: IntentTerms): Promise<boolean> {
  const chain = await loadBlobsOnChain(vault.db, terms)
  return (await openBlobsOnChain(vault, terms, chain)) !== null
}

async function screen(
  { screenerOn }: WriteContext,
  { terms }: IntentToStore,
  { recipients }: BundleContents,
): Promise<void> {
  const destination = screenerOn(terms.destChainId)
  if (destination) await screenRecipients(destination, terms.tokenB, recipients)
}
