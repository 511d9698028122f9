import type { Address, PublicClient } from 'viem'
import type { ScheduledOrder } from './orderResponses.ts'
import { readVaultOrder } from './vaultCalls.ts'

/** A chain's vault, to check an order service's word. */
export type VaultOnChain = {
  /** Reads the source chain. */
  client: Pick<PublicClient, 'readContract'>
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
  { vaultOrderId, amountLeft, tranchesFilled }: ScheduledOrder,
  { client, address }: VaultOnChain,
): Promise<boolean> {
  const shown = await readVaultOrder(client, address, vaultOrderId)
  if (shown === null) return false
  const fired = Number(shown.fired)
  // An order that goes on may have gone on meanwhile.
  if (amountLeft > 0n) return fired >= tranchesFilled
  return shown.left === 0n && fired === tranchesFilled
}
