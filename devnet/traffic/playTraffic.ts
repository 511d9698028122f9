import { setTimeout as pause } from 'node:timers/promises'
import { sendIntents } from './sendIntents.ts'
import { takeDueIntentSteps } from './takeDueIntentSteps.ts'
import type { TrafficOptions } from './trafficOptions.ts'

export type Traffic = {
  /** Starts nothing new, and resolves when what was sent is mined or given up. */
  stop(): Promise<void>
}

/** Longest wait of `stop` for transactions in flight, in milliseconds. */
const TIMEOUT_MS = 1_500

/**
 * Simulates senders and one rogue solver on the devnet until stopped, through public contract calls and the relayer's HTTP
 * interface only. Stateless: an intent's scenario follows from the seed and its id, and what is due from the chains, so
 * a later run finishes or refunds what an earlier one began.
 */
export function playTraffic(options: TrafficOptions): Traffic {
  const stopping = new AbortController()
  const { signal } = stopping
  const playing = Promise.all([takeDueIntentSteps(options, signal), sendIntents(options, signal)])
  return {
    stop: async () => {
      stopping.abort()
      await Promise.race([playing, pause(TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}
