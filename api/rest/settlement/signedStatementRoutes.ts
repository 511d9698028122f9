import { z } from '@hono/zod-openapi'
import { getAddress, type Hex } from 'viem'
import { encodeBridgeCall } from '../../../services/chain/encodeBridgeCall.ts'
import {
  findSignedStatement,
  type SignedStatement,
} from '../../../services/relayer/settlement/signedStatements.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { address, byIntentId, chainId, intentId } from '../../http/valueSchemas.ts'
import { chainsToRead } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'
import type { WriteContext } from '../writeContext.ts'

const bytes = z.string().openapi({ example: '0x…' })

const commonFields = {
  intentId,
  chainId: chainId.describe('The chain to send the call to.'),
  message: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('The signed EIP-712 message, with ids and amounts as decimal strings.'),
  signatures: z.array(bytes).describe('Sorted by signer.'),
  signers: z.array(address),
  call: z
    .object({ to: address, data: bytes })
    .describe('The call that puts it on chain. Anyone may send it.'),
}

const anchorAnswer = success({
  ...commonFields,
  encryptedBlob: bytes.describe('Sealed; may be `0x`.'),
}).openapi('SignedAnchor')

const revealAnswer = success({
  ...commonFields,
  sealed: bytes.describe('The recipients, sealed to the winner’s key.'),
}).openapi('SignedReveal')

const common = {
  ...byIntentId,
  method: 'get',
  tag: 'Intents',
  failures: [404, 503] as (404 | 503)[],
  cacheControl: 'no-cache',
} as const

/** `GET /intents/{intentId}/anchor` and `/reveal`: what the enclaves signed, so that anyone can send it. */
export function addSignedStatementRoutes(app: App, context: WriteContext): void {
  addEndpoint(app, {
    ...common,
    path: '/intents/{intentId}/anchor',
    summary: 'An intent’s anchor, signed by an enclave',
    description:
      'Available once recipients count, even if the relayer doesn’t pay to send it. Valid until firmAt, while the intent’s blobs on chain match blobsHashBefore.',
    answer: anchorAnswer,
    handler: async (input) => {
      const { signed, to } = await find(context, 'anchor', input)
      const encryptedBlob = signed.bytes ?? '0x'
      return { ...render(signed, to, anchorCall(signed, encryptedBlob)), encryptedBlob }
    },
  })
  addEndpoint(app, {
    ...common,
    path: '/intents/{intentId}/reveal',
    summary: 'An intent’s recipients, sealed to its winner and signed by the enclaves',
    description:
      'Available once the winner has read the recipients through get-recipients or asked for them on chain.',
    answer: revealAnswer,
    handler: async (input) => {
      const { signed, to } = await find(context, 'reveal', input)
      const sealed = signed.bytes ?? '0x'
      const args = [signed.intentId, sealed, signed.signatures] as const
      return { ...render(signed, to, encodeBridgeCall('revealRecipients', args)), sealed }
    },
  })
}

async function find(
  { reads, bundles }: WriteContext,
  kind: 'anchor' | 'reveal',
  which: { intentId: bigint; sourceChainId?: number | undefined },
): Promise<{ signed: SignedStatement; to: Hex }> {
  const now = await chainsToRead(reads)
  const stored = await requireIntent(reads, now, which)
  const signed = await findSignedStatement(reads.db, kind, stored.source)
  // As configured, not as a row says: callers send their own call there.
  const to = bundles.bridgeOn(stored.source.sourceChainId)
  if (signed && to) return { signed, to }
  throw new NotFoundError('no enclave has signed it yet', 'NOT_SIGNED_YET')
}

function render(signed: SignedStatement, to: Hex, data: Hex) {
  const { sourceChainId, message, signatures, signers } = signed
  const solver = message.solver && getAddress(String(message.solver))
  return {
    intentId: String(signed.intentId),
    chainId: String(sourceChainId),
    message: { ...message, ...(solver !== undefined && { solver }) },
    signatures,
    signers: signers.map((signer) => getAddress(signer)),
    call: { to: getAddress(to), data },
  }
}

function anchorCall({ intentId, message, signatures }: SignedStatement, blob: Hex): Hex {
  const { paramsHash, blobsHashBefore, feeBps, recipientClass } = message
  return encodeBridgeCall('anchorIntent', [
    intentId,
    paramsHash as Hex,
    blobsHashBefore as Hex,
    Number(feeBps),
    Number(recipientClass),
    blob,
    signatures[0] ?? '0x',
  ])
}
