import {
  ChangedDuringReadError,
  DiscreditedReadError,
} from '../../services/chain/history/historyErrors.ts'
import type { Progress } from '../progressBar.ts'

/** Attempts to read a chain and its database before they count as failed. */
const ATTEMPTS = 4
/** The index notices a reorg at the next block or poll. */
const PAUSE_MS = 1_000

export type ReplayOutput = {
  progress: Progress
  /** Prints messages for people, such as why a chain is restarted. */
  explain(line: string): void
}

/** Reads a chain, retrying when it changed meanwhile. Throws the last ChangedDuringReadError when retries run out. */
export async function retryWhileChanging<Found>(
  chain: string,
  { explain, progress }: ReplayOutput,
  read: () => Promise<Found>,
): Promise<Found> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ChangedDuringReadError) || attempt === ATTEMPTS) throw error
      const why = error instanceof DiscreditedReadError ? '' : ': probably a reorg'
      explain(`${error.message}${why}. Starting ${chain} again.`)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    } finally {
      progress.end()
    }
  }
}
