import { type Hex as AnyHex, decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem'
import { z } from 'zod'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import { calculateImbalance } from '../../core/order/calculateOrderAmounts.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import type { VaultOrder } from '../../sdk/orders/vaultCalls.ts'
import { NodesDisagreeError } from '../../services/chain/history/historyErrors.ts'
import { requestInBatches } from '../../services/chain/history/requestInBatches.ts'
import type { ComparedNodes } from '../../services/indexer/history/comparedNodes.ts'
import type { VaultChain } from '../../services/orders/chain/vaultChain.ts'
import { describeRecord, matchesRecord } from '../../services/orders/vaultRecord.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'

/** Orders that are read from the vault's storage in one exchange. */
const AT_ONCE = 100

const call = { abi: orderVaultAbi, functionName: 'getOrder' } as const

const stored = z.string().transform((data, context): VaultOrder => {
  try {
    return decodeFunctionResult({ ...call, data: data as AnyHex })
  } catch {
    context.addIssue({ code: 'custom', message: 'not an order of the vault' })
    return z.NEVER
  }
})

/**
 * Finds the orders whose stored record differs from their events, or whose amounts don't add up.
 *
 * @returns their ids in the API
 * @throws NodesDisagreeError when nodes differ about a record, and nothing shows which one is wrong
 */
export async function findContradicted(
  chain: Pick<VaultChain, 'name' | 'vault'>,
  nodes: ComparedNodes,
  orders: readonly OrderState[],
  block: number,
): Promise<string[]> {
  const contradicted: string[] = []
  for (let from = 0; from < orders.length; from += AT_ONCE) {
    const some = orders.slice(from, from + AT_ONCE)
    const records = await readRecords(chain, nodes, some, block)
    for (const [at, { facts }] of some.entries()) {
      const isMatch = matchesRecord(facts, records[at] as VaultOrder)
      if (!isMatch || calculateImbalance(facts) !== 0n)
        contradicted.push(toApiOrderId(facts.orderId))
    }
  }
  return contradicted
}

async function readRecords(
  chain: Pick<VaultChain, 'name' | 'vault'>,
  nodes: ComparedNodes,
  orders: readonly OrderState[],
  block: number,
): Promise<VaultOrder[]> {
  const ids = orders.map(({ facts }) => facts.orderId)
  const requests = ids.map((id) => {
    const data = encodeFunctionData({ ...call, args: [id] })
    return { method: 'eth_call', params: [{ to: chain.vault, data }, numberToHex(block)] }
  })
  try {
    return await nodes.read(
      `what the vault of ${chain.name} has stored at block ${block} of ${ids.map(toApiOrderId).join(', ')}`,
      (sending) => requestInBatches(sending, requests, stored),
      (records) => records.map(describeRecord).join('; '),
    )
  } catch (error) {
    if (!(error instanceof NodesDisagreeError) || orders.length === 1) throw error
    // Singly, so that the error names the order.
    const records: VaultOrder[] = []
    for (const order of orders) records.push(...(await readRecords(chain, nodes, [order], block)))
    return records
  }
}
