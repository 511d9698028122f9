import { setTimeout as pause } from 'node:timers/promises'
import { followIntents } from './followIntents.ts'
import { sendIntents } from './sendIntents.ts'
import type { TrafficOptions } from './trafficOptions.ts'

export type Traffic = {
  /** Begins nothing more, and resolves when what was sent is mined or given up. */
  stop(): Promise<void>
}

/** How long `stop` waits for what is under way, in milliseconds. */
const PATIENCE = 1_500

/**
 * Plays senders, and one rogue solver, on the devnet until stopped: by public contract calls and the
 * relayer's HTTP interface only. It remembers nothing:
 * each intent's scenario follows from the seed and its id, and what is due from the chains, so that a
 * later run finishes (or refunds) what an earlier one began.
 */
export function playTraffic(options: TrafficOptions): Traffic {
  const stopping = new AbortController()
  const { signal } = stopping
  const playing = Promise.all([followIntents(options, signal), sendIntents(options, signal)])
  return {
    stop: async () => {
      stopping.abort()
      await Promise.race([playing, pause(PATIENCE, undefined, { ref: false })])
    },
  }
}
