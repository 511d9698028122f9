import { z } from '@hono/zod-openapi'
import { type WebhookAction, webhookMessage } from '../../../sdk/messages/webhookMessages.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  type Endpoint,
  findEndpoint,
  takeAction,
  type Viewer,
} from '../../../services/store/webhooks/webhookEndpoints.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { ApiError, BadRequestError, NotFoundError } from '../../http/apiError.ts'
import type { AdminGate } from '../../http/auth/adminGate.ts'
import type { AccountChains } from '../../http/auth/contractSignatureChains.ts'
import { isSignedBy, type SignedMessage } from '../../http/auth/isSignedBy.ts'
import {
  freshTimestamp,
  headerText,
  notSignedBy,
  signatureHeader,
  timestampHeader,
} from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import { addressInput, chainInput } from '../../http/valueSchemas.ts'

/** Headers that authenticate a wallet. Operators send a bearer token instead. */
export const callerHeaders = z.object({
  'x-owner-address': headerText('The wallet that owns the webhook.'),
  'x-owner-signature': headerText('The owner’s EIP-191 signature of the endpoint’s message.'),
  'x-timestamp': timestampHeader,
  'x-owner-chain': headerText('If the owner is a contract: its chain.'),
  authorization: headerText('`Bearer` and an admin token, in place of the other headers.'),
})

/** How callers are authenticated. */
type CallerRules = {
  gate: AdminGate | null
  now: () => number
  /** Verifies contract signatures with a chain's nodes. */
  accountsOn: AccountChains
  /** @throws RateLimitedError for a client that has sent too many contract signatures */
  requireCheck: (c: ApiContext) => void
}

/**
 * The caller: an operator, or a wallet and the signed timestamp. The `owner` of a contract includes its chain, since
 * the same address may be someone else's on another chain.
 */
type Caller = { owner: string; address: Hex; timestamp: number } | 'admin'

/**
 * Authenticates the caller.
 *
 * @param messageAt the message that a wallet has to sign
 * @throws ApiError 400 for a missing, old or wrong signature; 401 or 403 for a wrong token
 */
export async function requireCaller(
  c: ApiContext,
  rules: CallerRules,
  messageAt: (timestamp: number) => string,
): Promise<Caller> {
  const { gate, now } = rules
  if (c.req.header('authorization') !== undefined) {
    if (gate === null) {
      throw new ApiError('this server has no admin tokens', { status: 403, code: 'FORBIDDEN' })
    }
    gate.enter(c)
    return 'admin'
  }
  const address = addressInput.safeParse(c.req.header('x-owner-address') ?? '')
  const signature = signatureHeader(c, 'x-owner-signature')
  if (!address.success || signature === null) {
    const message = 'X-Owner-Address, X-Owner-Signature and X-Timestamp are required'
    throw new BadRequestError(message, 'SIGNATURE_REQUIRED')
  }
  const timestamp = freshTimestamp(c, now())
  const signed = { message: messageAt(timestamp), signature, address: address.data }
  const owner = await ownerBy(c, rules, signed)
  if (owner === null) {
    const hasChain = c.req.header('x-owner-chain') !== undefined
    const forContracts = hasChain
      ? undefined
      : 'as a contract, also send its chain as X-Owner-Chain'
    throw notSignedBy('the owner’s', signed.message, forContracts)
  }
  return { owner, address: address.data, timestamp }
}

/** The signer in the form in which owners are stored: an address or, for a contract, a CAIP-10 account. */
async function ownerBy(
  c: ApiContext,
  { accountsOn, requireCheck }: CallerRules,
  signed: SignedMessage,
): Promise<string | null> {
  if (await isSignedBy(signed, null)) return signed.address
  const given = c.req.header('x-owner-chain')
  if (given === undefined) return null
  const chain = chainInput.safeParse(given)
  const accounts = chain.success ? accountsOn(chain.data) : null
  if (!chain.success || accounts === null) {
    throw new BadRequestError('X-Owner-Chain is not a chain of this server', 'UNSUPPORTED_CHAIN')
  }
  // Anyone can name any account, and each check causes requests to nodes.
  requireCheck(c)
  const isOwner = await isSignedBy(signed, accounts)
  return isOwner ? `eip155:${chain.data}:${signed.address}` : null
}

export function viewerOf(caller: Caller): Viewer {
  return caller === 'admin' ? 'admin' : { owner: caller.owner }
}

/**
 * The caller's webhook.
 *
 * @param request `isForOwner`: an operator may do this only to an operator's webhook
 * @throws ApiError 404 if it doesn't exist or another wallet owns it; 403 `FORBIDDEN`; 400 `SIGNATURE_USED` for a change
 *   whose timestamp isn't later than the last one's
 */
export async function requireEndpoint(
  c: ApiContext,
  db: Db,
  rules: CallerRules,
  { action, id, isForOwner = false }: { action: WebhookAction; id: string; isForOwner?: boolean },
): Promise<Endpoint> {
  const caller = await requireCaller(c, rules, (timestamp) => webhookMessage(action, id, timestamp))
  const found = await findEndpoint(db, id, viewerOf(caller))
  if (found === null)
    throw new NotFoundError('you have no webhook with this id', 'WEBHOOK_NOT_FOUND')
  if (isForOwner && caller === 'admin' && found.owner !== null) {
    const message = 'only its owner, who needs the new secret, can rotate it'
    throw new ApiError(message, { status: 403, code: 'FORBIDDEN' })
  }
  const isChange = action !== 'deliveries' && action !== 'list'
  if (isChange && caller !== 'admin' && !(await takeAction(db, id, caller.timestamp))) {
    throw signatureUsed()
  }
  return found
}

export function signatureUsed(): BadRequestError {
  return new BadRequestError(
    'this signature was already used: sign again with a later timestamp',
    'SIGNATURE_USED',
  )
}

/** Dependencies of the webhook endpoints. */
export type WebhookContext = {
  db: Db
  rules: CallerRules
  /** Allows http and private networks, for a devnet. */
  allowPrivate: boolean
  /** @throws RateLimitedError for a client that registers too many webhooks */
  requireRoom: (c: ApiContext) => Promise<void>
  /** @throws RateLimitedError for a client that replays too often */
  requireReplay: (c: ApiContext) => void
}
