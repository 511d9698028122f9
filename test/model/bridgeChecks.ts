import type { Hex } from '../../src/event/bridgeEvent.ts'
import { type Bridge, type Intent, Refused, type Source } from './bridgeState.ts'
import type { SolverName } from './deployment.ts'
import { type KeyName, OPERATOR_OF } from './messages.ts'

export function endTime({ catalogue }: Bridge, { createdAt }: Intent): number {
  return createdAt + catalogue.deployment.auctionDuration
}

export function firmAt(bridge: Bridge, intent: Intent): number {
  const { auctionDuration, windows } = bridge.catalogue.deployment
  return endTime(bridge, intent) - Math.min(Math.floor(auctionDuration / 3), windows.firm)
}

/** Time from which anybody can refund the intent. */
export function refundableAt(bridge: Bridge, intent: Intent): number {
  const { pickup, grace } = bridge.catalogue.deployment.windows
  if (intent.phase === 'deposited') return intent.fillDeadline + grace
  return endTime(bridge, intent) + (intent.solver === null ? 0 : 2 * pickup)
}

export function expectedOf({ catalogue }: Bridge, { creation }: Intent): number {
  return Number(catalogue.terms(creation).expectedAmountB)
}

export function requirePhase(intent: Intent, phase: Intent['phase']): void {
  if (intent.phase !== phase) throw new Refused('WrongPhase')
}

export function requireNameable(bridge: Bridge, source: Source, intent: Intent): void {
  requirePhase(intent, 'open')
  requireNotFirm(bridge, source, intent)
}

export function requireNotFirm(bridge: Bridge, { time }: Source, intent: Intent): void {
  if (time >= firmAt(bridge, intent)) throw new Refused('Firm')
}

/** @param blobsHash null: not compared (a mutant) */
export function requireTerms(
  bridge: Bridge,
  intent: Intent,
  paramsHash: Hex,
  blobsHash: Hex | null,
) {
  const { catalogue } = bridge
  if (paramsHash !== catalogue.terms(intent.creation).paramsHash) throw new Refused('WrongParams')
  if (blobsHash !== null && blobsHash !== catalogue.fold(intent.blobs))
    throw new Refused('WrongBlobs')
}

export function requireWinner(
  intent: Intent,
  content: { solver: SolverName; amountB: number },
): void {
  if (content.solver !== intent.solver) throw new Refused('WrongSolver')
  if (content.amountB !== intent.amountB) throw new Refused('WrongAmount')
}

export function requireQuarters(
  { catalogue }: Bridge,
  { time }: Source,
  { fillDeadline }: Intent,
  first: number,
  last: number,
): void {
  const { execution } = catalogue.deployment.windows
  const start = fillDeadline - execution
  const isWithin =
    time >= start + Math.floor((execution * first) / 4) &&
    time < start + Math.floor((execution * last) / 4)
  if (!isWithin) throw new Refused('OutsideWindow')
}

export function requireActive({ revoked }: Source, signer: KeyName): void {
  if (revoked[signer] !== undefined) throw new Refused('AttesterNotActive')
}

/** @param signers in the contract's order; null: the signature is over something else */
export function requireQuorum(
  { rules }: Bridge,
  { revoked }: Source,
  { quorum, revokedBefore }: Intent,
  signers: readonly (KeyName | null)[],
): void {
  if (signers.length !== quorum) throw new Refused('WrongSignatureCount')
  const operators = new Set<string>()
  for (const signer of signers) {
    if (signer === null) throw new Refused('AttesterNotActive')
    const countedThen = quorum > 1 && !revokedBefore.includes(signer)
    if (revoked[signer] !== undefined && !countedThen) throw new Refused('AttesterNotActive')
    if (rules.operatorsDiffer && operators.has(OPERATOR_OF[signer]))
      throw new Refused('SameOperator')
    operators.add(OPERATOR_OF[signer])
  }
}

export function isHonest(signer: KeyName): boolean {
  return OPERATOR_OF[signer] !== 'west'
}
