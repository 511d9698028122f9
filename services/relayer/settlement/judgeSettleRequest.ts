import type { Clocks } from '../../../core/intent/chainClocks.ts'
import {
  findSettledDelivery,
  isByWinner,
  isValidDelivery,
} from '../../../core/intent/findWinnersDelivery.ts'
import type { Delivery, KnownIntent, SourceFacts } from '../../../src/intent/intentFacts.ts'

/** A caller's claims about the requested settlement. Addresses and hashes in lower case. */
export type SettleHints = {
  chain2IntentId: bigint
  solverAddress: string
  destChainId: number
  depositTxHash: string
  solveTxHash: string
}

/** Why a settlement is refused at once. */
type SettleRefusal =
  | 'INTENT_TERMINAL'
  | 'ALREADY_SETTLED'
  | 'NOT_DEPOSITED'
  | 'NOT_THE_WINNER'
  | 'DEPOSIT_MISMATCH'
  | 'DESTINATION_MISMATCH'
  | 'SOLVE_MISMATCH'
  | 'DELIVERY_INVALID'

export type SettleVerdict =
  /** Already settled, by the same delivery. */
  | { is: 'settled'; source: SourceFacts }
  | { is: 'refused'; code: SettleRefusal; message: string }
  /** Nothing contradicts it yet, but something is still unknown. */
  | { is: 'early'; code: 'SOLVE_NOT_FOUND' | 'NOT_CONFIRMED'; missingBlocks?: number }
  /** Can be settled now. */
  | { is: 'due'; delivery: Delivery }

/** Checks a request for a settlement against the facts; the first failed check counts. */
export function judgeSettleRequest(
  known: KnownIntent,
  hints: SettleHints,
  clocks: Clocks,
  confirmationsOf: (source: SourceFacts) => number,
): SettleVerdict {
  const { source, deliveries } = known
  if (source.phase === 'completed') return judgeCompleted(known, hints)
  if (['cancelled', 'expired', 'failed'].includes(source.phase)) {
    return refuse('INTENT_TERMINAL', 'the intent has ended without a settlement')
  }
  if (source.phase !== 'deposited') return refuse('NOT_DEPOSITED', 'no solver has deposited')
  if (hints.solverAddress !== source.solver) {
    return refuse('NOT_THE_WINNER', 'the solver is not the intent’s winner')
  }
  const mismatch = findMismatch(source, hints)
  if (mismatch) return mismatch
  // A winner can deliver more than once, and to others: the request is about the delivery that it names.
  const own = deliveries.filter((one) => isByWinner(source, one))
  const delivery = own.find((one) => isNamed(one, hints)) ?? own[0]
  if (!delivery) return { is: 'early', code: 'SOLVE_NOT_FOUND' }
  return judgeDelivery(source, delivery, hints, clocks, confirmationsOf(source))
}

function judgeCompleted(known: KnownIntent, hints: SettleHints): SettleVerdict {
  const { source } = known
  const delivery = findSettledDelivery(known)
  const isSame =
    hints.solverAddress === source.solver &&
    hints.chain2IntentId === source.chain2IntentId &&
    (delivery === null || hints.solveTxHash === delivery.solveTxHash)
  if (!isSame) return refuse('ALREADY_SETTLED', 'the intent was settled by another delivery')
  return findMismatch(source, hints) ?? { is: 'settled', source }
}

function findMismatch(source: SourceFacts, hints: SettleHints): SettleVerdict | null {
  if (hints.depositTxHash !== source.depositTxHash) {
    return refuse('DEPOSIT_MISMATCH', 'the deposit was made by another transaction')
  }
  if (hints.destChainId !== source.destChainId) {
    return refuse('DESTINATION_MISMATCH', 'the intent has another destination chain')
  }
  return null
}

function isNamed(
  { solveTxHash, chain2IntentId }: Delivery,
  hints: Pick<SettleHints, 'solveTxHash' | 'chain2IntentId'>,
): boolean {
  return solveTxHash === hints.solveTxHash && chain2IntentId === hints.chain2IntentId
}

function judgeDelivery(
  source: SourceFacts,
  delivery: Delivery,
  hints: SettleHints,
  clocks: Clocks,
  confirmations: number,
): SettleVerdict {
  if (!isNamed(delivery, hints)) {
    return refuse('SOLVE_MISMATCH', 'the winner delivered by another transaction')
  }
  if (!isValidDelivery(source, delivery)) {
    return refuse('DELIVERY_INVALID', 'another token, too little, or too late')
  }
  const depth = (clocks.get(delivery.destChainId)?.blockNumber ?? 0) - delivery.solvedBlock
  if (depth < confirmations) {
    return { is: 'early', code: 'NOT_CONFIRMED', missingBlocks: confirmations - depth }
  }
  return { is: 'due', delivery }
}

function refuse(code: SettleRefusal, message: string): SettleVerdict {
  return { is: 'refused', code, message }
}
