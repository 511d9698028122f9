import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { type Hex, stringToHex } from 'viem'
import { getRecipientsMessage } from '../../sdk/messages/getRecipients.ts'
import { type BlobsOnChain, loadBlobsOnChain } from '../../services/bundles/loadBlobsOnChain.ts'
import { termsOf } from '../../services/bundles/termsOf.ts'
import { confirmationsFor } from '../../services/settlement/confirmationsFor.ts'
import type { ChainsNow } from '../../services/store/liveChains.ts'
import type { StoredIntent } from '../../services/store/storedIntent.ts'
import type { ApiContext, ApiEnv } from '../http/apiEnv.ts'
import { ApiError, BadRequestError, NotFoundError, UnavailableError } from '../http/apiError.ts'
import { isSignedBy } from '../http/auth/isSignedBy.ts'
import {
  freshTimestamp,
  headerText,
  notSignedBy,
  signatureHeader,
  timestampHeader,
} from '../http/auth/signatureHeaders.ts'
import { addEndpoint } from '../http/endpoint.ts'
import { recipientsOwed } from './recipientsOwed.ts'
import { bridgeOf, chainsToRead, requireIntent } from './relayerReads.ts'
import { storeFailure } from './storeFailure.ts'
import { address, addressInput, amount, chainInput, intentIdInput } from './values.ts'
import { createWinnerKeys, type WinnerKeys } from './winnerKey.ts'
import type { WriteContext } from './writeContext.ts'

const answer = z
  .object({
    success: z.literal(true),
    intentId: z.string(),
    recipients: z.array(address),
    amounts: z.array(amount),
    timestamp: z.number().int().openapi({ description: 'When they were stored: unix seconds.' }),
    chainId: z.number().int().openapi({ description: 'Source chain.' }),
    totalAmount: amount.openapi({ description: 'What the winner has to deliver in all.' }),
    encryptedData: z.string().optional().openapi({
      description:
        'ECIES ciphertext for the key that signed the deposit: JSON of intentId, sourceChainId, recipients, amounts, totalAmount. Then recipients and amounts are empty.',
    }),
  })
  .openapi('Recipients')

const headers = z.object({
  'x-solver-address': z.string().openapi({ description: 'The winner.' }),
  'x-solver-signature': headerText(
    'For an answer in clear: EIP-191, by the winner, of GET_RECIPIENTS:<intentId>:<sourceChainId>:<timestamp>.',
  ),
  'x-timestamp': timestampHeader,
})

/** `GET /get-recipients/{intentId}`: whom the winner has to pay, and nobody else may know. */
export function addGetRecipients(app: OpenAPIHono<ApiEnv>, context: WriteContext): void {
  const keys = new Map<number, WinnerKeys>()
  addEndpoint(app, {
    method: 'get',
    path: '/get-recipients/{intentId}',
    tag: 'Recipients',
    summary: 'Whom the winner has to pay',
    description:
      'For the winner alone, once its deposit is as deep as the chain’s confirmations ask (404 NOT_CONFIRMED before). They are read off the chain’s own sealed blobs. Without a signature the answer is sealed to the key that signed the deposit, unless the deployment runs in compat mode.',
    params: z.strictObject({ intentId: intentIdInput }),
    query: z.strictObject({ sourceChainId: chainInput.optional() }),
    headers,
    answer,
    failures: [403, 404, 503],
    handler: async (c, { params, query }) => {
      c.header('cache-control', 'no-store')
      const solver = solverHeader(c)
      const now = await chainsToRead(context.reads)
      const stored = await requireIntent(context.reads, now, { ...params, ...query })
      requireWinner(stored, solver)
      const isOpen = await mayReadInClear(c, context, stored, solver)
      const terms = termsOf(stored.source, bridgeOf(now, stored).address)
      const chain = await loadBlobsOnChain(context.vault.db, terms)
      requireDeep(context, now, stored, chain)
      const owed = await recipientsOwed(context, terms, stored, chain).catch(storeFailure)
      if (owed === null) throw recipientsUnknown()
      const { storedAt: timestamp, ...payments } = owed
      const secret = secretOf(stored, payments)
      const { intentId, totalAmount } = secret
      const common = { success: true, intentId, timestamp, chainId: terms.sourceChainId }
      if (isOpen) return c.json({ ...common, ...secret, sourceChainId: undefined })
      const of = keysOn(keys, context, terms.sourceChainId)
      const encryptedData = await sealed(context, of, stored, secret)
      return c.json({ ...common, recipients: [], amounts: [], totalAmount, encryptedData })
    },
  })
}

function solverHeader(c: ApiContext): Hex {
  const parsed = addressInput.safeParse(c.req.header('x-solver-address') ?? '')
  if (parsed.success) return parsed.data
  throw new BadRequestError('the header X-Solver-Address must be the solver’s address')
}

function requireWinner({ source: { solver } }: StoredIntent, caller: Hex): void {
  if (solver === null) {
    throw new NotFoundError('nobody has deposited for this intent yet', 'NOT_DEPOSITED')
  }
  if (solver !== caller) {
    const words = 'only the intent’s winner may read its recipients'
    throw new ApiError(words, { status: 403, code: 'NOT_THE_WINNER' })
  }
}

async function mayReadInClear(
  c: ApiContext,
  { authMode, accountsOn, now }: WriteContext,
  { source: { intentId, sourceChainId } }: StoredIntent,
  solver: Hex,
): Promise<boolean> {
  const signature = signatureHeader(c, 'x-solver-signature')
  if (signature === null) return authMode === 'compat'
  const timestamp = freshTimestamp(c, now())
  const message = getRecipientsMessage(intentId, sourceChainId, timestamp)
  const signed = { message, signature, address: solver }
  if (!(await isSignedBy(signed, accountsOn(sourceChainId)))) throw notSignedBy('the winner’s')
  return true
}

type Secret = {
  intentId: string
  sourceChainId: number
  recipients: Hex[]
  amounts: string[]
  totalAmount: string
}

function secretOf(
  { source: { intentId, sourceChainId, winningAmountB } }: StoredIntent,
  payments: Pick<Secret, 'recipients' | 'amounts'>,
): Secret {
  const totalAmount = String(winningAmountB ?? 0n)
  return { intentId: String(intentId), sourceChainId, ...payments, totalAmount }
}

/**
 * A deposit that a reorg can still take away tells nobody whom to pay: the next winner may be another,
 * and what this one delivered meanwhile would be lost.
 */
function requireDeep(
  { reads: { configured } }: WriteContext,
  { heads }: ChainsNow,
  { source: { sourceChainId, tokenA, amountA } }: StoredIntent,
  { depositBlock }: BlobsOnChain,
): void {
  const chain = configured.find(({ chainId }) => chainId === sourceChainId)
  if (depositBlock === null || !chain) {
    throw new UnavailableError('the index is changing', 'INDEX_NOT_READY', 1)
  }
  const depth = (heads.get(sourceChainId)?.blockNumber ?? 0) - depositBlock
  const missingBlocks = confirmationsFor(chain, tokenA, amountA) - depth
  if (missingBlocks <= 0) return
  const words = 'the deposit is not deep enough in its chain yet: ask again in a few blocks'
  throw new NotFoundError(words, 'NOT_CONFIRMED', { missingBlocks })
}

function recipientsUnknown(): UnavailableError {
  const words =
    'no blob on chain names this intent’s recipients: pay nobody, and ask again or ask the operator'
  return new UnavailableError(words, 'RECIPIENTS_UNKNOWN', 10)
}

function keysOn(
  keys: Map<number, WinnerKeys>,
  { clientOf }: WriteContext,
  chainId: number,
): WinnerKeys | null {
  const client = clientOf(chainId)
  if (client && !keys.has(chainId)) keys.set(chainId, createWinnerKeys(client))
  return keys.get(chainId) ?? null
}

async function sealed(
  { enclave }: WriteContext,
  keys: WinnerKeys | null,
  { source: { depositTxHash, solver } }: StoredIntent,
  secret: Secret,
): Promise<Hex> {
  const publicKey = await keys?.of(depositTxHash as Hex, solver as Hex).catch((error) => {
    throw new UnavailableError('the chain can’t be asked', 'RPC_UNREACHABLE', 2, error)
  })
  if (!publicKey) {
    const words = 'the winner’s key can’t be told from its deposit: send X-Solver-Signature'
    throw new BadRequestError(words, 'SIGNATURE_REQUIRED')
  }
  const bytes = stringToHex(JSON.stringify(secret))
  const { ciphertext } = await enclave.sealFor({ publicKey, bytes }).catch(storeFailure)
  return ciphertext
}
