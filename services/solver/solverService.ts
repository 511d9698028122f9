import type { JournalEntry, SolverStats } from './journal/journal.ts'

/** What a solver tells about itself, and can be told. Amounts are base units. */
export type SolverService = {
  status(): Promise<SolverStatus>
  activeIntents(): Promise<ActiveIntent[]>
  /** An intent on each network, by the chains' own word. */
  intentStatus(intentId: bigint): Promise<Record<string, NetworkStatus>>
  /** Lets it bid, or begins nothing new: what it owes it does either way. Resolves with whether that was a change. */
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

/** What one network knows of an intent. */
export type NetworkStatus = {
  found: boolean
  status: 'pending' | 'solving' | 'completed' | 'cancelled' | 'expired' | 'failed' | null
  winningSolver: `0x${string}` | null
  deposited: boolean
  solved: boolean
  completed: boolean
}
