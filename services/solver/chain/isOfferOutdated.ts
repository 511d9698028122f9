import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import { isBidOutdated, parseEffect } from '../journal/transactionJournal.ts'
import { sameAddress } from '../plan/sameAddress.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'

/**
 * Whether an unmined bid, or a deposit that takes over from a best bidder, should be cancelled: after an outage the chain
 * may still take it, at a price of before, and with a deadline that the destination has passed. The deposit for our own bid
 * is due whatever it costs, since without it we certainly lose the lock: all nodes that answer must say that it is another's.
 */
export async function isOfferOutdated(
  { db, account, chains }: Pick<SolverContext, 'db' | 'account' | 'chains'>,
  transaction: Pick<Transaction, 'id' | 'kind' | 'effect' | 'chainId'>,
): Promise<boolean> {
  const { kind, chainId, effect } = transaction
  if (kind !== 'bid' && kind !== 'deposit') return false
  if (!(await isBidOutdated(db, transaction))) return false
  if (kind === 'bid') return true
  const { bridge: address, queryAll } = chainOf({ chains }, chainId)
  const args = [parseEffect(effect).intentId] as const
  const leaders = await queryAll(async ({ client }) => {
    const call = { address, abi: bridgeIntentV2Abi, functionName: 'getIntent', args } as const
    return (await client.readContract(call)).solver
  })
  return leaders.every((leader) => !sameAddress(leader, account.address))
}
