import type { PublicClient } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import { revertOf } from '../../chain/transactions/simulateCall.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import { requestVaultCall } from './requestVaultCall.ts'

/**
 * Requests a cancel again that has failed although the vault accepts it by now: nodes that lagged said that there is no such
 * order. Otherwise a tranche would be fired that its owner has cancelled.
 *
 * @param closing the failed transaction
 * @returns whether it was requested. Not if the vault doesn't accept the call: the row may have been tampered with
 */
export async function repeatFailedCancel(
  context: Pick<OrdersContext, 'db' | 'account' | 'events'>,
  chain: ServedChain,
  orderId: Hex,
  { data }: Transaction,
): Promise<boolean> {
  if (!(await isAccepted(context, chain, data))) return false
  await requestVaultCall(context, chain, { effect: { kind: 'closeOrder', orderId }, data })
  context.events.requested('closeOrder', chain.name, orderId)
  return true
}

/** By most nodes; in a tie it is, as for the sender. */
async function isAccepted(
  { account }: Pick<OrdersContext, 'account'>,
  { vault, nodes }: Pick<ServedChain, 'vault' | 'nodes'>,
  data: Hex,
): Promise<boolean> {
  const ask = async (client: PublicClient) => {
    try {
      await client.call({ account, to: vault, data })
      return true
    } catch (error) {
      if (revertOf(error) !== null) return false
      throw error
    }
  }
  return findMajority(await nodes.queryAll(ask, String), String) ?? true
}
