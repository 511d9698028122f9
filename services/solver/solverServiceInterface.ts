import type { JournalEntry } from './journal/intentJournal.ts'
import type { NetworkStatus } from './readIntentStatus.ts'
import type { SolverStatus } from './readSolverStatus.ts'

/** A solver's public state and controls. Amounts are base units. */
export type SolverService = {
  status(): Promise<SolverStatus>
  activeIntents(): Promise<ActiveIntent[]>
  /** An intent's status by network, read from the chains. */
  intentStatus(intentId: bigint): Promise<Record<string, NetworkStatus>>
  /** Starts or stops new bids; obligations are met either way. Resolves to whether that changed anything. */
  setRunning(running: boolean): Promise<boolean>
  /** Whether rounds succeed and read every chain, or another instance works. */
  isAlive(): boolean
  /** What is wrong with the policy file: it can't be used, or is too old to bid by, or both. */
  policyProblems(): ('POLICY_INVALID' | 'POLICY_STALE')[]
}

export type ActiveIntent = JournalEntry & { network: string }
