import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import type { RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { repeat } from '../../process/repeat.ts'
import type { Policy } from '../policy/policy.ts'
import { findAuctions, findOwnWins, hasChances } from './findAuctions.ts'

export type Market = {
  /** Where to look, as of the latest answer. */
  auctions(): readonly RelayerIntent[]
  stop(): Promise<void>
}

/** Seconds after its end for which an auction is still looked at: it may be picked up meanwhile. */
const PICKUP_SECONDS = 900
/** Milliseconds between two reads of auctions in their pickup windows, and of our wins. */
const SLOW_EVERY = 5_000

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
  let slowAt = Number.NEGATIVE_INFINITY
  const look = async () => {
    const isSlowLook = performance.now() - slowAt >= SLOW_EVERY
    const isOpen = hasChances(await relayer.batches(), policy())
    if (isOpen || isSlowLook) {
      const since = Math.floor(Date.now() / 1_000) - PICKUP_SECONDS
      open = await findAuctions(relayer, policy(), since)
    }
    if (isSlowLook) {
      won = await findOwnWins(relayer, solver)
      slowAt = performance.now()
    }
  }
  const looking = repeat(everyMs, onTrouble, look, { fromBeginning: true })
  return { auctions: () => [...open, ...won], stop: looking.stop }
}
