import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import { isBidStale, parseEffect } from '../journal/transactionJournal.ts'
import { sameAddress } from '../plan/sameAddress.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'

/**
 * Whether an unmined bid, or a deposit that takes over from the best bidder, should be cancelled: after an outage the chain
 * may still include it, at a stale price and with a deadline that has passed on the destination. We always deposit for our
 * own best bid, since otherwise we lose the lock for certain: every node that answers must name another best bidder.
 */
export async function isOfferStale(
  { db, account, chains }: Pick<SolverContext, 'db' | 'account' | 'chains'>,
  transaction: Pick<Transaction, 'id' | 'kind' | 'effect' | 'chainId'>,
): Promise<boolean> {
  const { kind, chainId, effect } = transaction
  if (kind !== 'bid' && kind !== 'deposit') return false
  if (!(await isBidStale(db, transaction))) return false
  if (kind === 'bid') return true
  const { bridge: address, queryAll } = chainOf({ chains }, chainId)
  const args = [parseEffect(effect).intentId] as const
  const leaders = await queryAll(async ({ client }) => {
    const call = { address, abi: bridgeIntentV2Abi, functionName: 'getIntent', args } as const
    return (await client.readContract(call)).solver
  })
  return leaders.every((leader) => !sameAddress(leader, account.address))
}
