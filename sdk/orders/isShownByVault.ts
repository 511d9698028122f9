import type { Address, PublicClient } from 'viem'
import { withChainErrors } from '../errors/toCairnError.ts'
import type { ScheduledOrder } from './orderResponses.ts'
import { readVaultOrder, type VaultOrder } from './vaultCalls.ts'

/** A chain's vault, to check an order service's word. */
export type VaultOnChain = {
  /** Reads the source chain. */
  client: Pick<PublicClient, 'readContract' | 'getBlock'>
  /** `OrderVault`: the one that you know, since one that a service names could be anyone's. */
  address: Address
}

/**
 * Whether the vault shows what a service says of an order: believed alone, it could have an owner take an order for unspent,
 * and place it again.
 *
 * @throws CairnError
 */
export async function isShownByVault(
  { vaultOrderId, status, amountLeft, tranchesFilled }: ScheduledOrder,
  { client, address }: VaultOnChain,
): Promise<boolean> {
  const shown = await readVaultOrder(client, address, vaultOrderId)
  if (shown === null) return false
  const fired = Number(shown.fired)
  if (amountLeft === 0n) return shown.left === 0n && fired === tranchesFilled
  // An order that goes on may have gone on meanwhile.
  if (fired < tranchesFilled) return false
  return status === 'active' || shown.closed || (status === 'completed' && isOver(shown, client))
}

/** Whether no tranche can follow, although the rest isn't returned yet. */
async function isOver(
  { left, amountPerPeriod, endTime }: VaultOrder,
  client: VaultOnChain['client'],
): Promise<boolean> {
  if (left < amountPerPeriod) return true
  const { timestamp } = await withChainErrors(() => client.getBlock())
  // A chain that produces no blocks for now has an old one.
  return Math.max(Number(timestamp), Date.now() / 1_000) >= Number(endTime)
}
