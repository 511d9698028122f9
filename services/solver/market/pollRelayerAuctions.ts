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
/** Limit on auctions of one list: a relayer's list that never ends must not fill memory. */
const MAX_AUCTIONS = 10_000

export function pollRelayerAuctions(options: {
  relayer: Pick<RelayerClient, 'batches' | 'intents'>
  solver: `0x${string}`
  policy: () => Policy
  /** The latest known times of the chains, unix seconds. */
  chainTimes: () => readonly number[]
  everyMs: number
  onTrouble: (error: unknown) => void
}): Market {
  const { relayer, solver, policy, chainTimes, everyMs, onTrouble } = options
  // A list too long for one poll is read over several: otherwise a few thousand unanchored intents, which cost little
  // more than gas, would hide every auction that ends after them. The last complete list counts until the next one.
  let complete: readonly RelayerIntent[] = []
  let partial: readonly RelayerIntent[] = []
  let cursor: string | undefined
  const readNextPart = async () => {
    // A chain that catches up after an outage is behind our clock, and our clock may be wrong: its auctions aren't over.
    const now = Math.min(Math.floor(Date.now() / 1_000), ...chainTimes())
    // The relayer refuses a time below 0, as of a chain whose only node gives its blocks no time.
    const since = Math.max(0, now - PICKUP_SECONDS)
    const previous = cursor
    // Don't send a cursor that the relayer refuses again: after a failure, start over.
    cursor = undefined
    const part = await findAuctions(relayer, policy(), since, previous)
    partial = previous === undefined ? part.auctions : [...partial, ...part.auctions]
    if (partial.length < MAX_AUCTIONS) cursor = part.cursor
    if (cursor === undefined) {
      complete = partial
      partial = []
    }
  }
  let won: readonly RelayerIntent[] | null = null
  const readWins = () =>
    findOwnWins(relayer, solver).catch((error: unknown) => {
      if (won === null) throw error
      onTrouble(error)
      return won
    })
  let slowPollAt = Number.NEGATIVE_INFINITY
  const poll = async () => {
    const isSlowPoll = performance.now() - slowPollAt >= SLOW_POLL_MS
    // Before any auction: a solver that has lost its journal would bid with what it owes for its wins.
    if (isSlowPoll) won = await readWins()
    const isOpen = hasCandidates(await relayer.batches(), policy())
    if (isOpen || isSlowPoll) await readNextPart()
    if (isSlowPoll) slowPollAt = performance.now()
  }
  const polling = repeat(everyMs, onTrouble, poll, { fromBeginning: true })
  return { auctions: () => [...partial, ...complete, ...(won ?? [])], stop: polling.stop }
}
