import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { deriveStatus } from '../../../core/intent/status.ts'
import { generateStealthMessage } from '../../../sdk/messages/generateStealthMessage.ts'
import {
  issueAddress,
  restoreFormerAddresses,
} from '../../../services/relayer/recipients/issueAddress.ts'
import type { IntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError, RateLimitedError } from '../../http/apiError.ts'
import type { AdminGate } from '../../http/auth/adminGate.ts'
import { headerText } from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import { addressOf } from '../../http/limits/clientAddress.ts'
import { exhaustedNotice } from '../../http/limits/rateLimit.ts'
import { address, chainIdInput, intentIdInput } from '../../http/valueSchemas.ts'
import { chainsToRead } from '../readContext.ts'
import { findIntentInIndexOrChain } from '../recipientBundles/findIntentInIndexOrChain.ts'
import { isSignedBySender } from '../recipientBundles/isSignedBySender.ts'
import { throwBundleApiError } from '../recipientBundles/throwBundleApiError.ts'
import type { WriteContext } from '../writeContext.ts'
import type { RecipientContext } from './recipientContext.ts'
import { verbatimAddress } from './recipientInputs.ts'

const body = z
  .strictObject({
    recipientAddress: verbatimAddress,
    chainId: chainIdInput.openapi({
      type: 'string',
      description: 'The intent’s destination chain.',
    }),
    intentId: intentIdInput,
  })
  .openapi('GenerateStealthRequest')

type Body = z.output<typeof body>

const headers = z.object({
  'x-sender-signature': headerText(
    'The intent sender’s EIP-191 signature of GENERATE_STEALTH:<recipientAddress>:<chainId>:<intentId>. Not needed with a service’s bearer token, or in compat mode.',
  ),
})

const answer = success({ stealthAddress: address, safeAddress: address }).openapi(
  'GenerateStealthAnswer',
)

/**
 * `POST /recipient/generate-stealth`: a Safe of a registered wallet, for the intent's bundle to name.
 *
 * @param services authenticates services by bearer token; null: there are none
 */
export function addGenerateStealthRoute(
  app: App,
  context: RecipientContext,
  services: AdminGate | null,
): void {
  addEndpoint(app, {
    method: 'post',
    path: '/recipient/generate-stealth',
    tag: 'Recipients',
    summary: 'A Safe of a registered wallet, for the intent’s bundle to name',
    description:
      'For the intent’s sender and for services. Optional: a bundle that names the wallet pays it at yet another Safe; this one is paid only if the bundle names it. Repeats return the same Safe; in compat mode, each caller who neither signs nor has a token has its own. Once the intent is over, its sender can still repeat it: then the wallet gets back what it was paid there before the relayer lost its database.',
    headers,
    body,
    answer,
    failures: [401, 403, 503],
    handler: async (request, c) => {
      const { intentId, chainId } = request
      const key = { sourceChainId: Number(intentId >> 64n), intentId }
      const { terms, stored } = await findIntentInIndexOrChain(context, key)
      if (terms.destChainId !== chainId) {
        throw new BadRequestError('the intent pays on another chain', 'DESTINATION_MISMATCH')
      }
      const caller = await authorize(c, context, services, terms, request)
      const isOver = stored !== null && (await hasEnded(context, stored))
      if (isOver && caller !== 'sender')
        throw new BadRequestError('the intent is over', 'INTENT_CLOSED')
      const stranger =
        caller === 'stranger' ? await callerTag(c, context).catch(throwBundleApiError) : null
      const wallet = request.recipientAddress.toLowerCase() as Hex
      const { reads, enclave, now } = context
      const entry = await issueAddress(reads.db, enclave, terms, wallet, stranger, now()).catch(
        throwBundleApiError,
      )
      if (entry === 'too_many')
        throw new RateLimitedError(60, exhaustedNotice('intent-addresses', 1, 60))
      if (entry === 'not_registered') {
        const words =
          'the wallet is not registered: name it in the bundle to pay it directly, or have it call /recipient/register first'
        throw new BadRequestError(words, 'RECIPIENT_NOT_REGISTERED')
      }
      // A lost database knew Safes that were paid, of which the chain shows only the addresses.
      if (isOver) await restoreFormerAddresses(reads.db, enclave, terms, wallet, now())
      const { stealthAddress, safeAddress } = entry
      return {
        stealthAddress: getAddress(stealthAddress),
        safeAddress: getAddress(safeAddress),
      }
    },
  })
}

/** Whether an intent is over: it pays nobody. */
async function hasEnded({ reads }: RecipientContext, stored: StoredIntent): Promise<boolean> {
  const { heads } = await chainsToRead(reads)
  return deriveStatus(stored, heads).isTerminal
}

/** Who calls. Refuses strangers, except in compat mode. */
async function authorize(
  c: ApiContext,
  context: RecipientContext,
  services: AdminGate | null,
  terms: IntentTerms,
  { recipientAddress, chainId, intentId }: Body,
): Promise<'sender' | 'service' | 'stranger'> {
  if (services && c.req.header('authorization') !== undefined) {
    services.enter(c)
    return 'service'
  }
  const message = generateStealthMessage(recipientAddress, chainId, intentId)
  if (await isSignedBySender(c, context, terms, message)) return 'sender'
  if (context.bundles.modeOn(terms.sourceChainId) === 'compat') return 'stranger'
  const words = 'the intent’s sender must sign: X-Sender-Signature is required'
  throw new BadRequestError(words, 'SIGNATURE_REQUIRED')
}

/** An unsigned caller's tag: its network address, hashed with a key that only the enclave has. */
export async function callerTag(
  c: ApiContext,
  { enclave, isTrustedProxy }: Pick<WriteContext, 'enclave' | 'isTrustedProxy'>,
): Promise<Hex> {
  return (await enclave.tagCaller({ caller: addressOf(c, isTrustedProxy) })).tag
}
