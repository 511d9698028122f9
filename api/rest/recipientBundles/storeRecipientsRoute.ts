import { z } from '@hono/zod-openapi'
import type { Hex } from 'viem'
import { readTime } from '../../../core/intent/chainClocks.ts'
import type { BundleState } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import { findBundleOnChain } from '../../../core/recipientBundle/findBundleOnChain.ts'
import { MAX_RECIPIENTS } from '../../../core/recoveryBlob/blobSize.ts'
import { storeRecipientsMessage } from '../../../sdk/messages/storeRecipientsMessage.ts'
import type { BundleContents } from '../../../services/enclave/enclaveInterface.ts'
import { decryptBundleFromChain } from '../../../services/relayer/recipientBundles/decryptBundleFromChain.ts'
import { refuseUnpayableRecipients } from '../../../services/relayer/recipientBundles/refuseUnpayableRecipients.ts'
import type { CiphertextDigests } from '../../../services/relayer/recipientBundles/saveBundleRow.ts'
import {
  type StoreOutcome,
  storeBundle,
} from '../../../services/relayer/recipientBundles/storeBundle.ts'
import { BundleError } from '../../../services/relayer/terms/bundleError.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { headerText } from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import {
  chainIdInput,
  hexInput,
  intentIdInput,
  payeeInput,
  wireAmountInput,
} from '../../http/valueSchemas.ts'
import { chainsToRead } from '../readContext.ts'
import type { WriteContext } from '../writeContext.ts'
import { findIntentInIndexOrChain, type IntentToStore } from './findIntentInIndexOrChain.ts'
import { senderSignature } from './isSignedBySender.ts'
import { throwBundleApiError } from './throwBundleApiError.ts'

/** When the plaintext body was deprecated (RFC 9745), and when it will be removed (RFC 8594). */
const DEPRECATED_SINCE = '@1767225600'
const REMOVED_ON = 'Fri, 31 Dec 2027 23:59:59 GMT'

const body = z
  .strictObject({
    intentId: intentIdInput,
    chainId: chainIdInput,
    encryptedData: hexInput
      .optional()
      .describe('ECIES ciphertext of the bundle, encrypted to the key of GET /ecies-pubkey.'),
    recipients: z
      .array(z.string().max(64))
      .max(MAX_RECIPIENTS)
      .optional()
      .openapi({ deprecated: true, description: 'Deprecated: use encryptedData.' }),
    amounts: z.array(wireAmountInput).max(MAX_RECIPIENTS).optional().openapi({ deprecated: true }),
  })
  .refine(isSealedOrPlain, 'expected encryptedData, or recipients and amounts')
  .openapi('StoreRecipientsRequest')

type Body = z.output<typeof body>

function isSealedOrPlain(fields: {
  encryptedData?: unknown
  recipients?: unknown
  amounts?: unknown
}): boolean {
  const plain = [fields.recipients, fields.amounts].filter((field) => field !== undefined)
  return plain.length === (fields.encryptedData === undefined ? 2 : 0)
}

const answer = success({
  intentId: z.string(),
  message: z.string(),
  status: z
    .enum(['waiting', 'on_chain'])
    .describe(
      'Whether these recipients are on chain yet. They count once they are on chain, before firmAt. Repeat the request to check.',
    ),
}).openapi('StoreRecipientsAnswer')

const headers = z.object({
  'x-sender-signature': headerText(
    'The sender’s EIP-191 signature of STORE_RECIPIENTS:<intentId>:<chainId>:<paramsHash>:<n>:<keccak256(abi.encode(recipients, amounts, salt))>, with n and salt as in the bundle. Required in strict mode, and in both to replace stored recipients: n must be higher than the last one.',
  ),
})

/** `POST /store-recipients`: stores the recipients, encrypted or (deprecated) in plaintext. */
export function addStoreRecipientsRoute(app: App, context: WriteContext): void {
  addEndpoint(app, {
    method: 'post',
    path: '/store-recipients',
    tag: 'Recipients',
    summary: 'Store an intent’s recipients',
    description:
      'Call it after createIntent is mined, unless the creation carried the recipients. In strict mode the sender must sign, and the encrypted bundle must name its intentId, chainId and sender. Repeating a request answers 200. Other recipients are refused unless the sender signs them, with a higher n, before firmAt. In compat mode, unsigned recipients are anchored once a third of the auction (20 s at most) has passed. If different unsigned ones arrive until then, neither count (RECIPIENTS_DISPUTED) until the sender signs or cancels.',
    headers,
    body,
    answer,
    failures: [503],
    handler: async (request, c) => {
      if (request.encryptedData === undefined) {
        c.header('deprecation', DEPRECATED_SINCE)
        c.header('sunset', REMOVED_ON)
      }
      const outcome = await store(c, context, request).catch(throwBundleApiError)
      const status = outcome === 'chain' ? 'on_chain' : 'waiting'
      return { intentId: String(request.intentId), message: MESSAGES[outcome], status }
    },
  })
}

const MESSAGES: Record<StoreOutcome, string> = {
  stored: 'Recipients stored',
  already: 'Recipients stored',
  chain: 'Recipients stored',
  replaced: 'Recipients replaced: they count once they are on chain',
}

async function store(c: ApiContext, context: WriteContext, request: Body): Promise<StoreOutcome> {
  const key = { sourceChainId: request.chainId, intentId: request.intentId }
  const target = await findIntentInIndexOrChain(context, key)
  const { terms } = target
  const { contents, ciphertext } = await openBundle(context, target, request)
  const message = storeRecipientsMessage({ ...terms, ...contents })
  const signature = await senderSignature(c, terms, message)
  const { now, isFirm } = await timeAndFirmness(context, target)
  const state = await stateOnChain(context, target, isFirm)
  if (!isFirm && findBundleOnChain(state) === null) await screen(context, target, contents)
  return storeBundle(context.bundles, { terms, contents, ciphertext, signature, state, now })
}

async function stateOnChain(
  { bundles }: WriteContext,
  { terms, stored, blobs }: IntentToStore,
  isFirm: boolean,
): Promise<Omit<BundleState, 'stored'>> {
  const { feeBps, recipientClass } = stored?.source ?? { feeBps: null, recipientClass: null }
  const { createdAt, auctionDuration } = terms
  const onChain = await decryptBundleFromChain(bundles, terms, blobs, recipientClass)
  return { ...onChain, feeBps: feeBps ?? 0, createdAt, auctionDuration, isFirm }
}

type Opened = { contents: BundleContents; ciphertext: CiphertextDigests | null }

/** A plaintext bundle has no number or salt, because its body has no field for them. */
const UNNUMBERED = { n: 1, salt: `0x${'00'.repeat(32)}` as Hex }

async function openBundle(
  { enclave }: WriteContext,
  { terms }: IntentToStore,
  { encryptedData, recipients = [], amounts = [] }: Body,
): Promise<Opened> {
  if (encryptedData === undefined) {
    const payees = recipients.map(readPayee)
    return { contents: { recipients: payees, amounts, ...UNNUMBERED }, ciphertext: null }
  }
  const { sourceChainId, intentId, user: sender } = terms
  const opened = await enclave.openBundle({
    ciphertext: encryptedData,
    sourceChainId,
    intentId,
    sender,
  })
  const { ciphertext, ...contents } = opened
  return { contents, ciphertext }
}

/** @throws BundleError `RECIPIENT_INVALID`, which says which one */
function readPayee(text: string, position: number): Hex {
  const parsed = payeeInput.safeParse(text)
  if (parsed.success) return parsed.data
  const why = parsed.error.issues[0]?.message ?? 'expected an address'
  throw new BundleError('RECIPIENT_INVALID', why, `recipients.${position}`)
}

/** The source chain's indexed time, and whether it is too late for recipients to count. */
async function timeAndFirmness(
  { reads }: WriteContext,
  { stored, terms }: IntentToStore,
): Promise<{ now: number; isFirm: boolean }> {
  if (stored === null) return { now: terms.createdAt, isFirm: false }
  const { heads } = await chainsToRead(reads)
  const { phase, firmAt } = stored.source
  const now = readTime(terms.sourceChainId, heads)
  const isOpen = phase === 'open' || phase === 'bidding'
  return { now, isFirm: !isOpen || now >= firmAt }
}

async function screen(
  { screenerOn }: WriteContext,
  { terms }: IntentToStore,
  { recipients }: BundleContents,
): Promise<void> {
  const destination = screenerOn(terms.destChainId)
  if (destination) await refuseUnpayableRecipients(destination, terms.tokenB, recipients)
}
