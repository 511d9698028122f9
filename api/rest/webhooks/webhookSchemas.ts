import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { PUSH_TYPES, toPushEventId } from '../../../core/push/pushEvent.ts'
import type { Delivery } from '../../../services/store/webhooks/webhookDeliveries.ts'
import type { Endpoint } from '../../../services/store/webhooks/webhookEndpoints.ts'
import {
  address,
  chainId,
  count,
  decimalOrNull,
  intentId,
  moment,
} from '../../http/valueSchemas.ts'

export const webhookSchema = z
  .object({
    id: z.string(),
    owner: address.nullable().describe('Null if an operator registered it.'),
    ownerChainId: chainId.nullable().describe('The owner’s chain, if the owner is a contract.'),
    url: z.string(),
    intentId: intentId.nullable(),
    sender: address.nullable(),
    solver: address.nullable(),
    chainId: chainId.nullable(),
    types: z.array(z.enum(PUSH_TYPES)).nullable(),
    delivery: z.enum(['instant', 'finalized']),
    status: z.enum(['active', 'disabled']),
    disabledBy: z
      .enum(['owner', 'gone', 'silent', 'crowded'])
      .nullable()
      .describe(
        'gone: it answered 410. silent: ten attempts failed and none ever succeeded. crowded: the server was full and a new webhook replaced it.',
      ),
    failures: count.describe('Attempts since the last success.'),
    lastSuccessAt: moment.nullable(),
    createdAt: moment,
  })
  .openapi('Webhook')

export const deliverySchema = z
  .object({
    eventId: z.string(),
    type: z.enum(PUSH_TYPES),
    status: z.enum(['held', 'due', 'delivered', 'dead', 'dropped']),
    attempts: count,
    nextAttemptAt: moment.nullable(),
    lastAttemptAt: moment.nullable(),
    lastStatus: count.nullable().describe('HTTP status of the last response.'),
    lastError: z.string().nullable(),
  })
  .openapi('WebhookDelivery')

/** An endpoint as its owner sees it: without a secret. */
export function renderWebhook(endpoint: Endpoint) {
  const { endpointId, owner, sender, solver, mode, succeededAt, createdAt } = endpoint
  return {
    id: endpointId,
    ...renderOwner(owner),
    url: endpoint.url,
    intentId: decimalOrNull(endpoint.intentId),
    sender: checksummedOrNull(sender),
    solver: checksummedOrNull(solver),
    chainId: decimalOrNull(endpoint.chainId),
    types: endpoint.types,
    delivery: mode,
    status: endpoint.status,
    disabledBy: endpoint.status === 'active' ? null : (endpoint.disabledBy ?? 'crowded'),
    failures: endpoint.failures,
    lastSuccessAt: succeededAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}

export function renderDelivery(delivery: Delivery) {
  const { sequence, type, status, attempts, nextAt, attemptedAt, lastStatus, lastError } = delivery
  return {
    eventId: toPushEventId(sequence),
    type,
    status,
    attempts,
    lastStatus,
    lastError,
    nextAttemptAt: status === 'due' ? nextAt.toISOString() : null,
    lastAttemptAt: attemptedAt?.toISOString() ?? null,
  }
}

/** @param owner an address or, for a contract, a CAIP-10 account */
function renderOwner(owner: string | null) {
  const [account, chain] = owner === null ? [null] : owner.split(':').toReversed()
  return { owner: checksummedOrNull(account ?? null), ownerChainId: chain ?? null }
}

function checksummedOrNull(text: string | null): string | null {
  return text === null ? null : getAddress(text)
}
