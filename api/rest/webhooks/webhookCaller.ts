import { z } from '@hono/zod-openapi'
import { type WebhookAction, webhookMessage } from '../../../sdk/messages/webhooks.ts'
import type { Db } from '../../../services/store/database/database.ts'
import {
  type Endpoint,
  findEndpoint,
  takeAction,
  type Viewer,
} from '../../../services/store/webhooks/endpoints.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ApiContext } from '../../http/apiEnv.ts'
import { ApiError, BadRequestError, NotFoundError } from '../../http/apiError.ts'
import type { AdminGate } from '../../http/auth/adminGate.ts'
import type { AccountChains } from '../../http/auth/contractAccountChains.ts'
import { isSignedBy, type SignedMessage } from '../../http/auth/isSignedBy.ts'
import {
  freshTimestamp,
  headerText,
  notSignedBy,
  signatureHeader,
  timestampHeader,
} from '../../http/auth/signatureHeaders.ts'
import { addressInput, chainInput } from '../../http/valueSchemas.ts'

/** Headers that identify a wallet; operators send their bearer token instead. */
export const callerHeaders = z.object({
  'x-owner-address': headerText('The wallet that the webhook belongs to.'),
  'x-owner-signature': headerText('EIP-191, by the owner, of the endpoint’s message.'),
  'x-timestamp': timestampHeader,
  'x-owner-chain': headerText('Where the owner is a contract: the chain that it is on.'),
  authorization: headerText('Bearer: an admin token, in place of the three.'),
})

/** Authenticates callers. */
type CallerRules = {
  gate: AdminGate | null
  now: () => number
  /** Asks a chain's nodes whether a contract accepts a signature. */
  accountsOn: AccountChains
  /** @throws RateLimitedError for a client that has contracts asked too often */
  requireCheck: (c: ApiContext) => void
}

/**
 * The caller: an operator, or a wallet with the time that it signed. A contract owner includes its chain: on
 * another chain the same address may belong to somebody else.
 */
type Caller = { owner: string; address: Hex; timestamp: number } | 'admin'

/**
 * Verifies the caller.
 *
 * @param messageAt what a wallet has to sign, at a time
 * @throws ApiError 400 for a signature that is missing, old or another's, 401 or 403 for a wrong token
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
  if (owner === null) throw notSignedBy('the owner’s')
  return { owner, address: address.data, timestamp }
}

/** Whose signature it is, as owners are stored: an address, or, of a contract, its account by CAIP-10. */
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
  // A stranger can name any account: nodes are asked only so often for one client.
  requireCheck(c)
  const isOwner = await isSignedBy(signed, accounts)
  return isOwner ? `eip155:${chain.data}:${signed.address}` : null
}

export function viewerOf(caller: Caller): Viewer {
  return caller === 'admin' ? 'admin' : { owner: caller.owner }
}

/**
 * The caller's own endpoint, for something that it signed.
 *
 * @throws ApiError 404 if it doesn't exist or belongs to another wallet; 400 `SIGNATURE_USED` for a change whose
 *   signature isn't newer than the last
 */
export async function requireEndpoint(
  c: ApiContext,
  db: Db,
  rules: CallerRules,
  { action, id }: { action: WebhookAction; id: string },
): Promise<Endpoint> {
  const caller = await requireCaller(c, rules, (timestamp) => webhookMessage(action, id, timestamp))
  const found = await findEndpoint(db, id, viewerOf(caller))
  if (found === null) throw new NotFoundError('you have no webhook of this id', 'WEBHOOK_NOT_FOUND')
  const isChange = action !== 'deliveries' && action !== 'list'
  if (isChange && caller !== 'admin' && !(await takeAction(db, id, caller.timestamp))) {
    throw signatureUsed()
  }
  return found
}

export function signatureUsed(): BadRequestError {
  return new BadRequestError(
    'this signature was used already: sign again, with a later timestamp',
    'SIGNATURE_USED',
  )
}

/** What the endpoints of webhooks share. */
export type WebhookContext = {
  db: Db
  rules: CallerRules
  /** Also http, and addresses of private networks: for a devnet. */
  allowPrivate: boolean
  /** @throws RateLimitedError for a client that registers too many */
  requireRoom: (c: ApiContext) => Promise<void>
  /** @throws RateLimitedError for a client that has too much sent again */
  requireReplay: (c: ApiContext) => void
}
