import type { Address, PublicClient } from 'viem'
import { withChainErrors } from '../errors/toCairnError.ts'
import type { ScheduledOrder } from './orderResponses.ts'
import { readVaultOrder, type VaultOrder } from './vaultCalls.ts'

/** A chain's vault, to check what an order service says. */
export type VaultOnChain = {
  /** Reads the source chain. */
  client: Pick<PublicClient, 'readContract' | 'getBlock'>
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
  { vaultOrderId, status, amountLeft, tranchesFilled }: ScheduledOrder,
  { client, address }: VaultOnChain,
): Promise<boolean> {
  const shown = await readVaultOrder(client, address, vaultOrderId)
  if (shown === null) return false
  const fired = Number(shown.fired)
  if (amountLeft === 0n) return shown.left === 0n && fired === tranchesFilled
  // An active order may have fired more tranches since.
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
  // The latest block may be old, if the chain produces none for now.
  return Math.max(Number(timestamp), Date.now() / 1_000) >= Number(endTime)
}
