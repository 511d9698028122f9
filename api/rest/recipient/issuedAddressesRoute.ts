import { z } from '@hono/zod-openapi'
import type { EntryPlace } from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import { decodeCursor, encodeCursor } from '../../../services/store/database/paginationCursor.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { headerText, signatureHeader } from '../../http/auth/signatureHeaders.ts'
import { addressOf } from '../../http/limits/clientAddress.ts'
import { cursorInput } from '../../http/valueSchemas.ts'
import { listRecipientAddresses, stealthEntrySchema } from './listRecipientAddresses.ts'
import type { RecipientContext } from './recipientContext.ts'
import { signatureInput, verbatimAddress, walletChainInput } from './recipientInputs.ts'
import { requestRegistration, toRegistered } from './registerRecipientRoute.ts'
import { notSignedByRecipient } from './throwRecipientApiError.ts'

const SIGNED =
  'Signed by the recipient’s wallet: REGISTER_STEALTH:<address>, as for the registration.'

const query = z.strictObject({
  address: verbatimAddress,
  signature: signatureInput
    .optional()
    .describe(`${SIGNED} Prefer X-Recipient-Signature: URLs end up in logs.`),
  walletChainId: walletChainInput,
  cursor: cursorInput,
})

/** The list that cursors name. */
const LIST = 'stealth-addresses'

const headers = z.object({ 'x-recipient-signature': headerText(SIGNED) })

const answer = success({
  stealthAddresses: z.array(stealthEntrySchema),
  nextCursor: z.string().nullable().describe('For the next page. Null if this is the last.'),
}).openapi('StealthAddressesAnswer')

/** `GET /recipient/addresses`: the addresses issued to a wallet, for that wallet only. */
export function addIssuedAddressesRoute(app: App, context: RecipientContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/recipient/addresses',
    tag: 'Recipients',
    summary: 'The stealth addresses of a wallet',
    description:
      'For the wallet only. 1,000 per page, oldest first: the first pages have all Safes that hold a listed token, then come those that once did, then the newest others. Addresses of a bundle whose intent ends without a winner disappear. Each client, and each wallet, may list 10,000 addresses at once, then 500 a second.',
    query,
    headers,
    answer,
    failures: [503],
    handler: async ({ address: recipientAddress, walletChainId, cursor, ...query }, c) => {
      const after = cursor === undefined ? null : readCursor(cursor)
      const signature = query.signature ?? signatureHeader(c, 'x-recipient-signature')
      if (!signature) {
        throw new BadRequestError(
          'signature or X-Recipient-Signature is required',
          'SIGNATURE_REQUIRED',
        )
      }
      const client = addressOf(c, context.isTrustedProxy)
      const wallet = { recipientAddress, signature, walletChainId }
      const verified = await requestRegistration(context, client, wallet)
      if (verified.length === 0) throw notSignedByRecipient('REGISTER_STEALTH:<address>')
      const recipients = toRegistered(recipientAddress, verified)
      await context.requireListing(recipients, client)
      const { last, ...page } = await listRecipientAddresses(context, recipients, client, after)
      return { ...page, nextCursor: last && placeCursor(last) }
    },
  })
}

function placeCursor({ rank, createdAt, chainId, safeAddress }: EntryPlace): string {
  return encodeCursor(LIST, [rank, createdAt, chainId, safeAddress])
}

function readCursor(cursor: string): EntryPlace {
  const kinds = ['integer', 'integer', 'integer', 'hex'] as const
  const [rank, createdAt, chainId, safeAddress] = decodeCursor(LIST, kinds, cursor)
  return {
    rank: Number(rank),
    createdAt: Number(createdAt),
    chainId: Number(chainId),
    safeAddress: safeAddress as Hex,
  }
}
