import { type Address, isAddressEqual } from 'viem'
import type { ChainClient } from '../client/clientOptions.ts'
import { withChainErrors } from '../errors/toCairnError.ts'
import type { ScheduledOrder } from './orderResponses.ts'
import { readVaultOrder, type VaultOrder } from './vaultCalls.ts'

/** A chain's vault, to check what an order service says. */
export type VaultOnChain = {
  /** Reads the source chain. */
  client: Pick<ChainClient, 'readContract' | 'getBlock'>
  /** `OrderVault`: the one that you know, since one that a service names could be anyone's. */
  address: Address
}

/**
 * Whether the vault shows what a service says of an order. Otherwise, a lying service could make an owner believe that an
 * order is unspent, and place it again.
 *
 * @throws CairnError
 */
export async function isShownByVault(
  order: ScheduledOrder,
  { client, address }: VaultOnChain,
): Promise<boolean> {
  const { vaultOrderId, status, amountLeft, tranchesFilled } = order
  const shown = await readVaultOrder(client, address, vaultOrderId)
  if (shown === null || !hasTermsOf(order, shown)) return false
  const fired = Number(shown.fired)
  const isSame = fired === tranchesFilled && shown.left === amountLeft
  // An active order may have fired more tranches since.
  if (status === 'active') return isSame || fired > tranchesFilled
  return isSame && (shown.closed || (status === 'completed' && isOver(shown, client)))
}

/** Whether an order's parties and amounts are the vault's. */
function hasTermsOf(order: ScheduledOrder, shown: VaultOrder): boolean {
  return (
    isAddressEqual(order.user, shown.owner) &&
    isAddressEqual(order.assetIn, shown.token) &&
    isAddressEqual(order.assetOut, shown.tokenB) &&
    BigInt(order.destChainId) === shown.destChainId &&
    order.expectedAmountOut === shown.expectedAmountB &&
    order.amountPerPeriod === shown.amountPerPeriod &&
    BigInt(order.period) === BigInt(shown.period) &&
    BigInt(order.endTime) === BigInt(shown.endTime)
  )
}

/** Whether no tranche can follow, although the rest isn't returned yet. */
async function isOver(
  { left, amountPerPeriod, endTime }: VaultOrder,
  client: VaultOnChain['client'],
): Promise<boolean> {
  if (left < amountPerPeriod) return true
  const { timestamp } = await withChainErrors(() => client.getBlock())
  // The latest block may be old, if the chain produces none for now.
  return Math.max(Number(timestamp), Date.now() / 1_000) >= Number(endTime)
}
