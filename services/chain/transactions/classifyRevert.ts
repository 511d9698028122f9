import { PHASES } from '../../../core/proof/storage/intentRecord.ts'
import type { End } from './markTransactions.ts'
import type { Simulation } from './simulateCall.ts'

type Reverts = Extract<Simulation, { outcome: 'reverts' }>

/** How a transaction ends if its call would revert. */
export function classifyRevert(kind: string, reverts: Reverts): End {
  const state = isDoneAlready(kind, reverts) ? 'superseded' : 'failed'
  return { state, problem: reverts.error, detail: reverts.detail }
}

/**
 * Whether a revert shows that the effect is already there: someone else settled or refunded first, or our own transaction
 * was mined and its record lost.
 */
function isDoneAlready(kind: string, { error, args }: Reverts): boolean {
  const phase = error === 'WrongPhase' ? PHASES[Number(args[1])] : null
  switch (kind) {
    case 'anchor':
      return error === 'AlreadyAnchored'
    case 'reveal':
      return error === 'AlreadyRevealed'
    case 'settle':
      return phase === 'settled'
    case 'refund':
    case 'undelivered':
      return phase === 'refunded'
    default:
      return false
  }
}
