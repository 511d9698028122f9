import { createHash } from 'node:crypto'
import type { Effect } from './intentState.ts'

/**
 * What exactly an effect is about, as a short text. It differs for another creation, other blobs,
 * another winner or another delivery, so a refusal or success for one doesn't count for the other.
 */
export function subjectOf(effect: Effect): string {
  return createHash('sha256').update(wordsOf(effect).join(' ')).digest('hex').slice(0, 32)
}

function wordsOf(effect: Effect): (string | number)[] {
  const { kind, paramsHash } = effect
  switch (effect.kind) {
    case 'anchor':
    case 'append':
      return [kind, paramsHash, effect.blobsHash, effect.proposal?.digest ?? '']
    case 'reveal':
      return [kind, paramsHash, effect.solver, effect.depositBlock]
    case 'settle':
      return [
        ...[kind, paramsHash, effect.depositBlock],
        ...effect.deliveries.flatMap((one) => [one.solveTxHash, one.solvedBlock]),
      ]
    case 'undelivered':
      return [kind, paramsHash, effect.depositBlock]
    case 'refund':
      return [kind, paramsHash]
  }
}

/** Names an effect among an intent's transactions; also the transaction's `effect` in the store. */
export function effectName(intentId: bigint, effect: Effect): string {
  return `${intentId}:${subjectOf(effect)}`
}

/** The intent of a transaction that `effectName` named; null for another. */
export function intentOfEffect(name: string): bigint | null {
  const [, id] = /^([0-9]{1,78}):[0-9a-f]{32}$/.exec(name) ?? []
  return id === undefined ? null : BigInt(id)
}
