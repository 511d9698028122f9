import type { Simulation } from './simulateCall.ts'

/** `Phase` of BridgeTypes.sol. */
const SETTLED = 3
const REFUNDED = 5

/**
 * Whether a revert says that the effect is there already, so that nothing is left to do: somebody
 * else settled or refunded first, or our own transaction was mined and we have no record of it.
 */
export function isDoneAlready(
  kind: string,
  { error, args }: Extract<Simulation, { outcome: 'reverts' }>,
): boolean {
  const phase = error === 'WrongPhase' ? Number(args[1]) : null
  switch (kind) {
    case 'anchor':
      return error === 'AlreadyAnchored'
    case 'reveal':
      return error === 'AlreadyRevealed'
    case 'settle':
      return phase === SETTLED
    case 'refund':
    case 'undelivered':
      return phase === REFUNDED
    default:
      return false
  }
}
