import type { PublicClient } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import { revertOf } from '../../chain/transactions/simulateCall.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import { requestVaultCall } from './requestVaultCall.ts'
import { isSignedClose } from './vaultSignatureJudge.ts'

/**
 * Requests again a cancel that has ended, if the vault accepts it: nodes that lagged said that there is no such order, the only
 * one that answered has invented its block, or a deep reorg has removed it. Otherwise a tranche would be fired that its owner
 * has cancelled.
 *
 * @param closing the ended transaction
 * @returns whether the order's owner has cancelled it: then no tranche is fired, even if the vault doesn't accept the
 *   signatures any more, because an enclave's key has been retired meanwhile
 */
export async function repeatCancel(
  context: Pick<OrdersContext, 'db' | 'account' | 'events'>,
  chain: ServedChain,
  { orderId, quorum }: { orderId: Hex; quorum: number },
  { data }: Transaction,
): Promise<boolean> {
  if (!(await isAccepted(context, chain, data)))
    return isSignedClose(chain, { orderId, quorum }, data)
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
