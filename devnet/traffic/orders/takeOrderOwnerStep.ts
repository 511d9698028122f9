import { encodeFunctionData } from 'viem'
import type { ScheduledOrder } from '../../../sdk/orders/orderResponses.ts'
import type { OrdersClient } from '../../../sdk/orders/ordersClient.ts'
import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { DevnetAccount } from '../../accounts.ts'
import type { TrafficChain } from '../trafficChainClient.ts'
import { findOrderKind } from './orderKinds.ts'

const GAS = 300_000n

/** Takes the owner's next step if one is due: cancels the order, or reclaims a tranche without bids. */
export async function takeOrderOwnerStep(
  order: ScheduledOrder,
  tools: {
    orders: OrdersClient
    relayer: RelayerClient
    owner: DevnetAccount
    source: TrafficChain
    sender: AccountSender
  },
): Promise<void> {
  const { orders, owner } = tools
  const kind = findOrderKind(order)
  if (kind === 'cancelled' && order.status === 'active' && order.tranchesFilled > 0) {
    await orders.cancelOrder(order.id, (message) => owner.signMessage({ message }))
  }
  if (kind === 'refunded' && order.amountSpent > 0n) {
    for (const intentId of order.intentIds) await takeBack(intentId, tools)
  }
}

async function takeBack(
  intentId: bigint,
  {
    relayer,
    source,
    sender,
  }: { relayer: RelayerClient; source: TrafficChain; sender: AccountSender },
): Promise<void> {
  const { isTerminal, status } = await relayer.intentDetails(intentId)
  if (isTerminal || status !== 'expired') return
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'refund',
    args: [intentId],
  })
  await sender.execute({ to: source.contracts.bridge, data, gas: GAS })
}
