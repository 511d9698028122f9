import { getAbiItem, type Hex, type PublicClient } from 'viem'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import { requireAddress } from '../errors/invalidArgument.ts'
import { withChainErrors } from '../errors/toCairnError.ts'
import { readVaultOrder, type VaultOrder } from './vaultCalls.ts'

/** An order its owner found on the chain. */
export type OwnOrder = VaultOrder & { vaultOrderId: Hex }

const OrderFunded = getAbiItem({ abi: orderVaultAbi, name: 'OrderFunded' })

/**
 * All orders of an owner in a vault, from the chain alone: for an owner without order ids, when no service answers.
 *
 * @param fromBlock first block to search: the vault's deployment, or the oldest block the node serves
 * @throws CairnError
 */
export async function findOwnOrders(
  client: Pick<PublicClient, 'getLogs' | 'readContract'>,
  { vault, owner, fromBlock }: { vault: Hex; owner: Hex; fromBlock: bigint },
): Promise<OwnOrder[]> {
  requireAddress(vault, 'vault')
  const of = { address: vault, event: OrderFunded, args: { owner }, fromBlock } as const
  const logs = await withChainErrors(() => client.getLogs({ ...of, strict: true }))
  const found = await Promise.all(
    logs.map(async ({ args: { orderId: vaultOrderId } }) => {
      const order = await readVaultOrder(client, vault, vaultOrderId)
      return order && { ...order, vaultOrderId }
    }),
  )
  return found.filter((order) => order !== null)
}
