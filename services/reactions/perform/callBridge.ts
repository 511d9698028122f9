import type { Hex } from 'viem'
import { reopenTransaction } from '../../chain/transactions/reopenTransaction.ts'
import { requestTransaction } from '../../chain/transactions/requestTransaction.ts'
import { isOver } from '../../chain/transactions/transaction.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import { type Effect, effectName, type Situation } from '../situation.ts'
import { bridgeOf } from './bridgeOf.ts'

/** Asks for a call of the source chain's bridge, once; one that is over is opened again. */
export async function callBridge(
  reactor: Reactor,
  { facts: { source } }: Situation,
  effect: Effect,
  data: Hex,
): Promise<Outcome> {
  const { sourceChainId: chainId, intentId } = source
  const { db } = reactor.vault
  const transaction = await requestTransaction(db, {
    ...{ kind: effect.kind, chainId, effect: effectName(intentId, effect) },
    ...{ account: reactor.relayer, to: bridgeOf(reactor, chainId), data },
  })
  if (!transaction.isNew && isOver(transaction)) await reopenTransaction(db, transaction, data)
  return { is: 'under-way' }
}
