import { getAbiItem, type Hex, type PublicClient } from 'viem'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import { readInRanges } from '../client/readInRanges.ts'
import { requireAddress } from '../errors/invalidArgument.ts'
import { withChainErrors } from '../errors/toCairnError.ts'
import { readVaultOrder, type VaultOrder } from './vaultCalls.ts'

/** An order its owner found on the chain. */
export type OwnOrder = VaultOrder & { vaultOrderId: Hex }

const OrderFunded = getAbiItem({ abi: orderVaultAbi, name: 'OrderFunded' })

/**
 * All orders of an owner in a vault, from the chain alone: for an owner without order ids, when no service answers. Reads
 * some thousand blocks a request, or as many as the node serves.
 *
 * @param fromBlock first block to search: the vault's deployment, or one before your oldest order
 * @throws CairnError
 */
export async function findOwnOrders(
  client: Pick<PublicClient, 'getBlockNumber' | 'getLogs' | 'readContract'>,
  { vault, owner, fromBlock }: { vault: Hex; owner: Hex; fromBlock: bigint },
): Promise<OwnOrder[]> {
  requireAddress(vault, 'vault')
  const of = { address: vault, event: OrderFunded, args: { owner }, strict: true } as const
  return withChainErrors(async () => {
    const range = { fromBlock, toBlock: await client.getBlockNumber({ cacheTime: 0 }) }
    const orders: OwnOrder[] = []
    for await (const logs of readInRanges(range, (part) => client.getLogs({ ...of, ...part })))
      for (const { args } of logs) {
        const vaultOrderId = args.orderId
        const order = await readVaultOrder(client, vault, vaultOrderId)
        if (order) orders.push({ ...order, vaultOrderId })
      }
    return orders
  })
}
