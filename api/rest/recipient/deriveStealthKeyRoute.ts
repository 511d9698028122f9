import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import { findEntryOfStealth } from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import {
  freshTimestamp,
  headerText,
  signatureHeader,
  timestampHeader,
} from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import { addressOf } from '../../http/limits/clientAddress.ts'
import { address, text } from '../../http/valueSchemas.ts'
import type { RecipientContext } from './recipientContext.ts'
import { signatureInput, verbatimAddress, walletChains } from './recipientInputs.ts'
import { notSignedByRecipient, throwRecipientApiError } from './throwRecipientApiError.ts'

const body = z
  .strictObject({
    recipientAddress: verbatimAddress,
    stealthAddress: verbatimAddress,
    signature: signatureInput.describe(
      'Signed by the recipient’s wallet: DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>.',
    ),
  })
  .openapi('DeriveStealthKeyRequest')

const headers = z.object({
  'x-auth-signature': headerText(
    'Signed by the same wallet: DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>:<X-Timestamp>, followed by :<X-Seal-To> in lower case if you send that header. Not needed in compat mode.',
  ),
  'x-timestamp': timestampHeader,
  'x-seal-to': headerText(
    'Your uncompressed secp256k1 public key: 0x04 and 128 hex digits. The enclave encrypts the stealth key to it (ECIES, as in eciesjs), so that the relayer doesn’t see it.',
  ),
})

const answer = success({
  stealthAddress: address,
  stealthPrivateKey: text.describe(
    'This key controls the funds: keep it encrypted on your own machine, or not at all. Encrypted if you sent X-Seal-To.',
  ),
}).openapi('DeriveStealthKeyAnswer')

/** `POST /recipient/derive-stealth-key`: a stealth address's private key, for its owner only. */
export function addDeriveStealthKeyRoute(app: App, context: RecipientContext): void {
  addEndpoint(app, {
    method: 'post',
    path: '/recipient/derive-stealth-key',
    tag: 'Recipients',
    summary: 'The private key of a stealth address',
    description:
      'For the owner only. The key is derived on each request and never stored or logged.',
    headers,
    body,
    answer,
    failures: [403, 503],
    handler: async ({ recipientAddress, stealthAddress, signature }, c) => {
      const challenge = challengeOf(c, context)
      const wallet = recipientAddress.toLowerCase() as Hex
      const entry = await findEntryOfStealth(context.reads.db, stealthAddress.toLowerCase() as Hex)
      const chains = entry ? [entry.chainId] : walletChains(context, undefined)
      // For an address that was never issued the enclave checks the signature, then refuses as for another
      // wallet's address. So the answer doesn't tell which addresses exist.
      const delivery = entry ?? { chainId: chains[0] ?? 1, intentId: 0n, index: 0 }
      const claim = {
        wallet,
        signature,
        chains,
        client: addressOf(c, context.isTrustedProxy),
        ask: (contractOn: number | undefined) =>
          context.enclave.exportStealthKey({
            recipientAddress,
            stealthAddress,
            signature,
            challenge,
            contractOn,
            chainId: delivery.chainId,
            intentId: delivery.intentId,
            index: delivery.index,
          }),
      }
      const [verified] = await context.wallets.verify(claim).catch(throwRecipientApiError)
      if (!verified) {
        throw notSignedByRecipient('DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>')
      }
      const { stealthPrivateKey } = verified.answer
      return { stealthAddress: getAddress(stealthAddress), stealthPrivateKey }
    },
  })
}

/** Undefined without the header. The enclave decides whether a challenge is required. */
function challengeOf(c: ApiContext, { now }: RecipientContext) {
  const signature = signatureHeader(c, 'x-auth-signature')
  const sealTo = sealToHeader(c)
  if (signature !== null) return { timestamp: freshTimestamp(c, now()), signature, sealTo }
  // An unsigned X-Seal-To could be anyone's.
  if (sealTo !== undefined) throwRecipientApiError(new EnclaveError('CHALLENGE_REQUIRED'))
  return undefined
}

/** @throws BadRequestError for anything but a public key */
function sealToHeader(c: ApiContext): Hex | undefined {
  const text = c.req.header('x-seal-to')?.toLowerCase()
  if (text === undefined || /^0x04[0-9a-f]{128}$/.test(text)) return text as Hex | undefined
  throw new BadRequestError('X-Seal-To must be a public key, 0x04 and 128 hex digits')
}
