import type { Hex } from 'viem'
import { reopenTransaction } from '../../../chain/transactions/reopenTransaction.ts'
import { requestTransaction } from '../../../chain/transactions/requestTransaction.ts'
import { isOver, type WantedTransaction } from '../../../chain/transactions/transaction.ts'
import type { Effect, IntentState } from '../intentState.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { effectName } from '../subjectOf.ts'
import { bridgeOf } from './bridgeOf.ts'

/**
 * Asks for a call of the source chain's bridge, once; one that is over is opened again.
 *
 * @param urgency what puts it before others
 */
export async function callBridge(
  reactor: Reactor,
  { facts: { source } }: IntentState,
  effect: Effect,
  data: Hex,
  urgency: Pick<WantedTransaction, 'deadline' | 'worth' | 'payer' | 'l1Fee'> = {},
): Promise<Outcome> {
  const { sourceChainId: chainId, intentId } = source
  const { db } = reactor.vault
  const transaction = await requestTransaction(db, {
    ...{ kind: effect.kind, chainId, effect: effectName(intentId, effect) },
    ...{ account: reactor.relayer, to: bridgeOf(reactor, chainId), data },
    ...urgency,
  })
  if (!transaction.isNew && isOver(transaction)) await reopenTransaction(db, transaction, data)
  return { is: 'under-way' }
}
