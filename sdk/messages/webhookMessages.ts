import { invalidArgument } from '../errors/invalidArgument.ts'

/** A webhook's filter: an event must match all given fields. */
export type WebhookFilter = {
  intentId?: bigint | undefined
  sender?: string | undefined
  solver?: string | undefined
  /** Numeric chain id, source or destination. */
  chainId?: number | undefined
  types?: readonly string[] | undefined
}

/**
 * What a wallet signs (EIP-191) to register a webhook: `X-Owner-Signature`. Valid once.
 *
 * @param url as sent
 * @param timestamp unix seconds, also sent as `X-Timestamp`; valid for five minutes
 */
export function registerWebhookMessage(
  url: string,
  filter: WebhookFilter,
  delivery: 'instant' | 'finalized',
  timestamp: number,
): string {
  const { intentId, sender, solver, chainId, types } = filter
  const given = {
    intentId,
    sender: sender?.toLowerCase(),
    solver: solver?.toLowerCase(),
    chain: chainId,
    types: types?.join(','),
  }
  const text = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  return `REGISTER_WEBHOOK:${url}:${text}:${delivery}:${timestamp}`
}

export type WebhookAction = 'list' | 'deliveries' | 'rotate' | 'replay' | 'disable' | 'enable'

/**
 * What the owner signs to see or change its webhooks. Each change needs a later timestamp than the previous one.
 *
 * @param webhookId null to list all
 * @throws CairnError `INVALID_REQUEST` for anything else than an id: what a server calls one could make the message place an
 *   order
 */
export function webhookMessage(
  action: WebhookAction,
  webhookId: string | null,
  timestamp: number,
): string {
  if (webhookId !== null && !/^[\w-]{1,40}$/.test(webhookId)) {
    throw invalidArgument('webhookId', 'a webhook’s id, such as wh_AAAAAAAAAAAAAAAAAAAAAA')
  }
  return `WEBHOOK:${action}:${webhookId ?? '-'}:${timestamp}`
}
