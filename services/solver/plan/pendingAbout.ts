import { intentName } from '../../store/intents/storedIntent.ts'
import { tokenKey } from '../policy/policy.ts'
import type { PendingTransaction, Snapshot } from './solverSnapshot.ts'

type ByName = Map<string, PendingTransaction[]>

/** Made once for each snapshot: to search thousands of transactions for each of thousands of intents would take seconds. */
const indexes = new WeakMap<Snapshot['pending'], ByName>()

/**
 * The pending transactions about an intent or a token.
 *
 * @param name from `intentName` or `tokenKey`
 */
export function pendingAbout(
  { pending }: Pick<Snapshot, 'pending'>,
  name: string,
): readonly PendingTransaction[] {
  let index = indexes.get(pending)
  if (index === undefined) {
    index = Map.groupBy(pending, nameOf)
    indexes.set(pending, index)
  }
  return index.get(name) ?? []
}

function nameOf(transaction: PendingTransaction): string {
  if ('intentId' in transaction) return intentName(transaction)
  return 'token' in transaction ? tokenKey(transaction.chainId, transaction.token) : ''
}
