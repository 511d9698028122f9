import { sql } from 'kysely'
import { concat, hashMessage, keccak256, numberToHex, pad } from 'viem'
import { isDevelopmentChain } from '../../../core/chain/developmentChains.ts'
import { decideOrderAction } from '../../../core/order/decideOrderAction.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { hasFailed } from '../../chain/transactions/transactionRow.ts'
import { collectSignatures } from '../../quorum/collectSignatures.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { readCiphertext } from '../follow/readCiphertext.ts'
import { OrderError } from '../orderError.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import type { OwnerClaim } from '../ordersServiceTypes.ts'
import { awaitOrderState } from './awaitOrderState.ts'
import { requestVaultCall } from './requestVaultCall.ts'
import { encodeCloseCall } from './takeOrderSteps.ts'
import { throwEnclaveProblem } from './throwEnclaveProblem.ts'
import { createVaultSignatureJudge } from './vaultSignatureJudge.ts'

/** Slot of the vault's used messages, which it keeps on test networks only. */
const USED_MESSAGES_SLOT = 2n

/**
 * Cancels an order on its owner's signed message: no further tranche fires, and the rest is refunded. A closed order
 * is returned unchanged.
 *
 * @throws OrderError
 */
export async function cancelOrder(
  context: OrdersContext,
  chain: ServedChain,
  order: OrderState,
  claim: OwnerClaim,
): Promise<OrderState> {
  const { orderId, owner, quorum } = order.facts
  const encrypted = await readCiphertext(context.db, order)
  const request = { sourceChainId: chain.chainId, orderId, by: { encrypted, ...claim } }
  const judge = createVaultSignatureJudge(context, chain, 'CloseOrder', quorum)
  const { signatures } = await collectSignatures(context.enclaves, judge, (enclave) =>
    enclave.signClose(request),
  ).catch(throwEnclaveProblem)
  const now = chain.follower.latest()?.head.timestamp ?? context.settings.now()
  const decided = decideOrderAction({ type: 'cancel' }, order, now)
  if (decided === 'CLOSED' || decided.length === 0) return order
  await useMessage(context.db, chain, owner, orderId, claim.message)
  const { id } = await requestVaultCall(context, chain, {
    effect: { kind: 'closeOrder', orderId },
    data: encodeCloseCall(orderId, signatures),
    // The sender goes by deadline: this precedes every queued tranche.
    deadline: now,
  })
  context.events.requested('closeOrder', chain.name, orderId)
  const isClosed = ({ facts: { closeReason } }: OrderState) => closeReason !== null
  const waited = await awaitOrderState(context, chain, id, orderId, isClosed)
  if (waited.order !== null) return waited.order
  const words =
    waited.transaction !== null && hasFailed(waited.transaction)
      ? 'the cancellation has failed: send it again, or close the order yourself'
      : 'the cancellation is not in a block yet. It continues by itself: read the order to check it'
  throw new OrderError('CANCEL_PENDING', words)
}

/**
 * On test networks a message needn't name its purpose, so each is accepted once: one that placed an order is
 * public, and must not cancel another.
 */
async function useMessage(
  db: Db,
  chain: ServedChain,
  owner: Hex,
  orderId: Hex,
  message: string,
): Promise<void> {
  if (!isDevelopmentChain(chain.chainId)) return
  const digest = hashMessage(message)
  if (await hasPlacedOrder(chain, owner, keccak256(new TextEncoder().encode(message))))
    throw alreadyUsed()
  const { rows } = await sql<{ orderId: string }>`
    with added as (
      insert into orders.used_message (signer, digest, order_id) values (${owner}, ${digest}, ${orderId})
      on conflict do nothing returning order_id)
    select order_id as "orderId" from added
    union all
    select order_id from orders.used_message where signer = ${owner} and digest = ${digest}`.execute(
    db,
  )
  if (rows.some((row) => row.orderId !== orderId)) throw alreadyUsed()
}

async function hasPlacedOrder({ client, vault }: ServedChain, owner: Hex, messageHash: Hex) {
  const key = keccak256(concat([pad(owner), messageHash]))
  const slot = keccak256(concat([key, numberToHex(USED_MESSAGES_SLOT, { size: 32 })]))
  const stored = await client.getStorageAt({ address: vault, slot }).catch(() => {
    throw new OrderError('RPC_UNREACHABLE', 'the chain’s nodes can’t be reached: try again')
  })
  return BigInt(stored ?? '0x0') !== 0n
}

function alreadyUsed(): OrderError {
  return new OrderError('INVALID_SIGNATURE', 'this message was used before: sign another')
}
