import type { JournalEntry, SolverStats } from './journal/journal.ts'

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

export type SolverStatus = {
  running: boolean
  solverAddress: `0x${string}`
  networks: Record<
    string,
    {
      chainId: number
      connected: boolean
      blockNumber: bigint | null
      bridgeAddress: `0x${string}`
    }
  >
  balances: { chain: string; token: string; symbol: string; balance: bigint }[]
  activeIntents: number
  stats: SolverStats & { exposure: bigint; lastRoundAt: Date | null }
}

export type ActiveIntent = JournalEntry & { network: string }

/** An intent's state on one network. */
export type NetworkStatus = {
  found: boolean
  status: 'pending' | 'solving' | 'completed' | 'cancelled' | 'expired' | 'failed' | null
  winningSolver: `0x${string}` | null
  deposited: boolean
  solved: boolean
  completed: boolean
}
