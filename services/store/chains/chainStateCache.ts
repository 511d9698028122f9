import type { ChangeFeed, FeedEvent } from '../changes/changeFeed.ts'
import type { ClockChange } from '../changes/changeLog.ts'
import { findDatabaseProblem } from '../database/databaseProblem.ts'
import { readingForAll } from '../database/fairShares.ts'
import type { Db } from '../database/openDatabase.ts'
import {
  type ChainHead,
  type ChainHeads,
  type ChainStates,
  readChainStates,
} from './readChainStates.ts'

/** The chains at one moment. Immutable. */
export type ChainsNow = ChainStates & {
  /** Heads of the chains that are ready. */
  heads: ChainHeads
}

export type ChainStateCache = {
  /**
   * The chains' present state: from memory while the feed is connected, otherwise from the database. Call it before reading
   * rows, so that no clock is ahead of the rows that are compared with it.
   */
  current(): Promise<ChainsNow>
  /** The state in memory; null if there is none. */
  known(): ChainsNow | null
}

/** Number of confirmations that make a block `safe`, by chain id. */
export type Confirmations = ReadonlyMap<number, number>

/**
 * Keeps the chains' states and clocks in memory, updated by the feed.
 *
 * @param confirmations without an entry, a chain has Ponder's safe block, which seldom moves before finality
 */
export function createChainStateCache(
  db: Db,
  feed: ChangeFeed,
  confirmations: Confirmations = new Map(),
): ChainStateCache {
  let known: ChainsNow | null = null
  let loading: Promise<ChainsNow> | null = null
  // Number of invalidations, so that a load that began before one isn't kept.
  let epoch = 0

  const invalidate = () => {
    epoch += 1
    known = null
    loading = null
  }
  feed.subscribe((event) => {
    if (event.kind === 'clock' && known && hasChain(known, event.clock))
      known = advance(known, event.clock, confirmations)
    else if (changesChains(event)) invalidate()
  })

  const load = async (): Promise<ChainsNow> => {
    const begun = epoch
    const read = withHeads(await readChainStates(db), confirmations)
    if (begun !== epoch) return feed.isConnected() ? current() : read
    loading = null
    if (feed.isConnected()) known = read
    return read
  }
  const current = async (): Promise<ChainsNow> => {
    if (known) return known
    if (!feed.isConnected()) return withHeads(await readChainStates(db), confirmations)
    loading ??= readingForAll(load).catch((error) => {
      loading = null
      throw error
    })
    return loading
  }
  return { current, known: () => known }
}

/** The chains' present state; without chains before an indexer has ever run, since there are no views then. */
export async function chainsOrNone(chains: ChainStateCache): Promise<ChainsNow> {
  try {
    return await chains.current()
  } catch (error) {
    if (findDatabaseProblem(error) !== 'not_ready') throw error
    return { ready: [], backfilling: [], heads: new Map() }
  }
}

/** Events about no intent include a bridge's deployment, whose terms are part of a chain's state. */
function changesChains(event: FeedEvent): boolean {
  return event.kind !== 'change' || event.change.intentId === null
}

function hasChain({ heads }: ChainsNow, { chainId }: ClockChange): boolean {
  return heads.has(chainId)
}

function withHeads(states: ChainStates, confirmations: Confirmations): ChainsNow {
  const ready = states.ready.map((chain) => {
    return { ...chain, head: withSafeBlock(chain.head, confirmations.get(chain.chainId)) }
  })
  return { ...states, ready, heads: new Map(ready.map(({ chainId, head }) => [chainId, head])) }
}

/** A reorg that lowers the head lowers the safe block too. */
function withSafeBlock(head: ChainHead, depth: number | undefined): ChainHead {
  const confirmed = depth === undefined ? head.safeBlock : head.blockNumber - depth
  return { ...head, safeBlock: Math.max(confirmed, head.finalizedBlock, 0) }
}

function advance(
  now: ChainsNow,
  { chainId, ...clock }: ClockChange,
  confirmations: Confirmations,
): ChainsNow {
  const ready = now.ready.map((chain) =>
    chain.chainId === chainId ? { ...chain, head: { ...chain.head, ...clock } } : chain,
  )
  return withHeads({ ...now, ready }, confirmations)
}
