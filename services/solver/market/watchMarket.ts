import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import type { RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { repeat } from '../../process/repeat.ts'
import type { Policy } from '../policy/policy.ts'
import { findAuctions, findOwnWins, hasCandidates } from './findAuctions.ts'

export type Market = {
  /** Open auctions and our wins, as of the latest poll. */
  auctions(): readonly RelayerIntent[]
  stop(): Promise<void>
}

/** Seconds for which an ended auction stays listed, since it may be picked up. */
const PICKUP_SECONDS = 900
/** Milliseconds between polls of our wins, and of auctions when none takes bids. */
const SLOW_POLL_MS = 5_000

/** Polls the relayer for auctions. */
export function watchMarket(options: {
  relayer: RelayerClient
  solver: `0x${string}`
  policy: () => Policy
  everyMs: number
  onTrouble: (error: unknown) => void
}): Market {
  const { relayer, solver, policy, everyMs, onTrouble } = options
  let open: readonly RelayerIntent[] = []
  let won: readonly RelayerIntent[] = []
  let slowPollAt = Number.NEGATIVE_INFINITY
  const poll = async () => {
    const isSlowPoll = performance.now() - slowPollAt >= SLOW_POLL_MS
    const isOpen = hasCandidates(await relayer.batches(), policy())
    if (isOpen || isSlowPoll) {
      const since = Math.floor(Date.now() / 1_000) - PICKUP_SECONDS
      open = await findAuctions(relayer, policy(), since)
    }
    if (isSlowPoll) {
      won = await findOwnWins(relayer, solver)
      slowPollAt = performance.now()
    }
  }
  const polling = repeat(everyMs, onTrouble, poll, { fromBeginning: true })
  return { auctions: () => [...open, ...won], stop: polling.stop }
}
