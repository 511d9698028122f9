import { z } from '@hono/zod-openapi'
import type { ResponseOf } from '../../../services/enclave/enclaveInterface.ts'
import {
  isRegistered,
  type Registered,
  saveRecipient,
} from '../../../services/relayer/recipients/registration/registeredRecipientStore.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { addressOf, writerOf } from '../../http/limits/clientAddress.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import { listRecipientAddresses, stealthEntrySchema } from './listRecipientAddresses.ts'
import type { RecipientContext } from './recipientContext.ts'
import {
  signatureInput,
  verbatimAddress,
  walletChainInput,
  walletChains,
} from './recipientInputs.ts'
import { notSignedByRecipient, throwRecipientApiError } from './throwRecipientApiError.ts'
import type { VerifiedWallet } from './walletVerifier.ts'

/** Limits first registrations, since each is stored for years. A backend may register its users. */
const FIRST_TIMES = { perSecond: 1 / 30, burst: 300 }

const body = z
  .strictObject({
    recipientAddress: verbatimAddress,
    signature: signatureInput.describe(
      'Signed by the recipient’s wallet: REGISTER_STEALTH:<recipientAddress>.',
    ),
    walletChainId: walletChainInput,
  })
  .openapi('RegisterRecipientRequest')

const answer = success({
  spendPubKey: z.string().describe('Uncompressed.'),
  viewPubKey: z.string().describe('Uncompressed.'),
  stealthAddresses: z
    .array(stealthEntrySchema)
    .describe('At most 1,000: GET /recipient/addresses has all.'),
}).openapi('RegisterRecipientAnswer')

/** `POST /recipient/register`: the wallet is paid at fresh Safes from now on. */
export function addRegisterRecipientRoute(app: App, context: RecipientContext): void {
  const firstTimes = createRateLimit('registrations', FIRST_TIMES)
  addEndpoint(app, {
    method: 'post',
    path: '/recipient/register',
    tag: 'Recipients',
    summary: 'Register a wallet to be paid at fresh Safes',
    description:
      'Returns the wallet’s public keys, the same on every call until the relayer’s root is rotated. A wallet that is never paid is forgotten after two years unless it registers again. A contract wallet is registered for deliveries on the chains where it accepts the signature.',
    body,
    answer,
    failures: [503],
    handler: async (request, c) => {
      const client = addressOf(c, context.isTrustedProxy)
      const verified = await requestRegistration(context, client, request)
      for (const { answer } of verified) {
        const isKnown = await isRegistered(context.reads.db, answer.tags)
        if (!isKnown) firstTimes.require(writerOf(client))
      }
      const [first] = verified
      if (!first) throw notSignedByRecipient('REGISTER_STEALTH:<recipientAddress>')
      await Promise.all(verified.map(({ answer }) => saveRecipient(context.reads.db, answer)))
      const recipients = toRegistered(request.recipientAddress, verified)
      await context.requireListing(recipients, client)
      const { stealthAddresses } = await listRecipientAddresses(context, recipients, client)
      const { spendPubKey, viewPubKey } = first.answer
      return { spendPubKey, viewPubKey, stealthAddresses }
    },
  })
}

type VerifiedRegistration = VerifiedWallet<ResponseOf<'registerRecipient'>>

/** A wallet as the recipient, or recipients, that the enclave has registered. */
export function toRegistered(wallet: Hex, verified: readonly VerifiedRegistration[]): Registered[] {
  const recipientAddress = wallet.toLowerCase() as Hex
  return verified.map(({ contractOn, answer: { tags } }) => {
    return { recipientAddress, contractOn, tags }
  })
}

/**
 * Has the enclave register a wallet, as a key or, failing that, as a contract.
 *
 * @param client the client that is charged
 * @returns none if the signature isn't the wallet's
 * @throws ApiError
 */
export function requestRegistration(
  context: RecipientContext,
  client: string,
  request: { recipientAddress: Hex; signature: Hex; walletChainId?: number | undefined },
): Promise<VerifiedRegistration[]> {
  const { recipientAddress, signature, walletChainId } = request
  const claim = {
    wallet: recipientAddress.toLowerCase() as Hex,
    signature,
    client,
    chains: walletChains(context, walletChainId),
    ask: (contractOn: number | undefined) =>
      context.enclave.registerRecipient({ recipientAddress, signature, contractOn }),
  }
  return context.wallets.verify(claim).catch(throwRecipientApiError)
}
