import type { SolverStatus } from './describeSolver.ts'
import type { JournalEntry } from './journal/journal.ts'
import type { NetworkStatus } from './readIntentStatus.ts'

/** A solver's public state and controls. Amounts are base units. */
export type SolverService = {
  status(): Promise<SolverStatus>
  activeIntents(): Promise<ActiveIntent[]>
  /** An intent on each network, according to the chains. */
  intentStatus(intentId: bigint): Promise<Record<string, NetworkStatus>>
  /**
   * Lets it bid, or begins nothing new; it meets its obligations either way. Resolves with whether that
   * changed.
   */
  setRunning(running: boolean): Promise<boolean>
  /** Whether rounds go on. */
  isAlive(): boolean
}

export type ActiveIntent = JournalEntry & { network: string }
