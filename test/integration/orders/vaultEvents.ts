import { type Hex, toEventSelector } from 'viem'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { OrdersRig } from './ordersRig.ts'

export const EVENTS = ['OrderFunded', 'TrancheFired', 'OrderClosed'] as const

export type VaultEventName = (typeof EVENTS)[number]

/** Topic 0 of a vault's event. */
export function findEventTopic(name: VaultEventName): Hex {
  const item = orderVaultAbi.find((one) => one.type === 'event' && one.name === name)
  return toEventSelector(item as Extract<typeof item, { type: 'event' }>)
}

/** How often the chain has each of a vault's events of an order, straight from the node. */
export async function countVaultEvents(
  { base, vault }: Pick<OrdersRig, 'base' | 'vault'>,
  orderId: Hex,
): Promise<Record<VaultEventName, number>> {
  const logs = await base.client.getLogs({ address: vault, fromBlock: 0n })
  const ours = logs.filter(({ topics }) => topics[1] === orderId)
  const count = (name: VaultEventName) =>
    ours.filter(({ topics }) => topics[0] === findEventTopic(name)).length
  return {
    OrderFunded: count('OrderFunded'),
    TrancheFired: count('TrancheFired'),
    OrderClosed: count('OrderClosed'),
  }
}
