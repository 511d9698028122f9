import { z } from '@hono/zod-openapi'
import type { Hex } from 'viem'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipientsMessage.ts'
import type { RevealReader } from '../../../services/relayer/settlement/revealReader.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { ApiError, NotFoundError } from '../../http/apiError.ts'
import {
  addressHeader,
  freshTimestamp,
  headerText,
  notSignedBy,
  signatureHeader,
  timestampHeader,
} from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import { addressOf } from '../../http/limits/clientAddress.ts'
import { address, amount, byIntentId, count, text } from '../../http/valueSchemas.ts'
import { chainsToRead } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'
import type { WriteContext } from '../writeContext.ts'
import { revealRecipientsToWinner, winnersPayments } from './revealRecipientsToWinner.ts'

const answer = success({
  intentId: z.string(),
  recipients: z.array(address),
  amounts: z.array(amount),
  timestamp: count.describe('When the winner deposited, in Unix seconds.'),
  chainId: count.describe('Source chain.'),
  totalAmount: amount.describe('The total that the winner must deliver.'),
  encryptedData: text.describe(
    'Recipients and amounts, sealed to the winner’s sealing key (ECIES) and padded to the intent’s recipient class.',
  ),
  signatures: z
    .array(z.string())
    .describe(
      'EIP-712 signatures of the Reveal of exactly these bytes, from as many operators as the intent’s quorum, sorted by signer. Check them before you pay.',
    ),
}).openapi('Recipients')

const headers = z.object({
  'x-solver-address': z.string().describe('The winner.'),
  'x-solver-signature': headerText(
    'To get plaintext: the winner’s EIP-191 signature of GET_RECIPIENTS:<intentId>:<sourceChainId>:<timestamp>.',
  ),
  'x-timestamp': timestampHeader,
})

/** `GET /get-recipients/{intentId}`: the recipients, for the winner only. */
export function addGetRecipientsRoute(app: App, context: WriteContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/get-recipients/{intentId}',
    tag: 'Recipients',
    summary: 'The recipients that the winner must pay',
    description:
      'For the winner only, once its deposit has enough confirmations (until then 404 NOT_CONFIRMED). The answer follows from the blobs on chain, so it is always the same. Recipients are sealed to the winner’s sealing key and signed by the enclaves. With the winner’s signature, or in compat mode, the answer also contains them in plaintext.',
    ...byIntentId,
    headers,
    answer,
    failures: [403, 404, 503],
    handler: async (input, c) => {
      const solver = addressHeader(c, 'X-Solver-Address', 'the solver’s')
      const now = await chainsToRead(context.reads)
      const stored = await requireIntent(context.reads, now, input)
      requireWinner(stored.source.solver, solver)
      const isSigned = await isSignedByWinner(c, context, stored, solver)
      const { intentId, sourceChainId, winningAmountB, depositedAt } = stored.source
      const stranger = isSigned ? null : addressOf(c, context.isTrustedProxy)
      const isPlain = isSigned || context.bundles.modeOn(sourceChainId) === 'compat'
      const read = <Reveal>(reader: RevealReader<Reveal>) =>
        revealRecipientsToWinner(context, now, stored, stranger, reader)
      const plain = isPlain ? await read(context.reveals.plain) : null
      const reveal = plain ?? (await read(context.reveals.sealed))
      // Checked again against what the enclaves signed: rows of the index are no evidence of who won.
      requireWinner(reveal.solver, solver)
      const payments = plain ? winnersPayments(plain) : { recipients: [], amounts: [] }
      return {
        intentId: String(intentId),
        chainId: sourceChainId,
        ...payments,
        timestamp: depositedAt,
        totalAmount: String(winningAmountB ?? 0n),
        encryptedData: reveal.sealed,
        signatures: reveal.signatures,
      }
    },
  })
}

function requireWinner(winner: Hex | null, caller: Hex): void {
  if (winner === null) {
    throw new NotFoundError('nobody has deposited for this intent yet', 'NOT_DEPOSITED')
  }
  if (winner !== caller) {
    const words = 'only the intent’s winner may read its recipients'
    throw new ApiError(words, { status: 403, code: 'NOT_THE_WINNER' })
  }
}

async function isSignedByWinner(
  c: ApiContext,
  context: WriteContext,
  { source: { intentId, sourceChainId } }: StoredIntent,
  solver: Hex,
): Promise<boolean> {
  const signature = signatureHeader(c, 'x-solver-signature')
  if (signature === null) return false
  const timestamp = freshTimestamp(c, context.now())
  const message = getRecipientsMessage(intentId, sourceChainId, timestamp)
  const signed = { message, signature, address: solver }
  const isSigned = await context.isSigned(c, signed, sourceChainId)
  if (!isSigned) throw notSignedBy('the winner’s', message)
  return true
}
