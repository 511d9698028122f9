import type { ChangeFeed, FeedEvent } from '../changes/changeFeed.ts'
import type { ClockChange } from '../changes/changeNotice.ts'
import type { Db } from '../database/database.ts'
import { readingForAll } from '../database/fairShare.ts'
import { storeProblemOf } from '../database/storeProblem.ts'
import {
  type ChainHead,
  type ChainHeads,
  type ChainStates,
  readChainStates,
} from './readChainStates.ts'

/** The chains at one moment. Never changed once handed out. */
export type ChainsNow = ChainStates & {
  /** Heads of the chains that are ready. */
  heads: ChainHeads
}

export type ChainStateCache = {
  /**
   * The chains' present state: from memory while the feed is connected, otherwise from the
   * database. Call it before reading rows, so that no clock is ahead of the rows it is compared
   * with.
   */
  current(): Promise<ChainsNow>
  /** The same if it is in memory, else null. */
  known(): ChainsNow | null
}

/** Blocks on top of a block before it is `safe`, by chain id. */
export type Confirmations = ReadonlyMap<number, number>

/**
 * Keeps the chains' states and clocks in memory, updated by the feed.
 *
 * @param confirmations chains without an entry take Ponder's own mark, which seldom moves before finality
 */
export function createChainStateCache(
  db: Db,
  feed: ChangeFeed,
  confirmations: Confirmations = new Map(),
): ChainStateCache {
  let known: ChainsNow | null = null
  let loading: Promise<ChainsNow> | null = null
  // Counts invalidations of `known`, so that a load that began before one isn't kept.
  let epoch = 0

  const forget = () => {
    epoch += 1
    known = null
    loading = null
  }
  feed.subscribe((event) => {
    if (event.kind === 'clock' && known && hasChain(known, event.clock))
      known = advance(known, event.clock, confirmations)
    else if (changesChains(event)) forget()
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

/** Before an indexer has ever run there are no views, which counts as no chain. */
export async function chainsOrNone(chains: ChainStateCache): Promise<ChainsNow> {
  try {
    return await chains.current()
  } catch (error) {
    if (storeProblemOf(error) !== 'not_ready') throw error
    return { ready: [], backfilling: [], heads: new Map() }
  }
}

/** Events about no intent include the deployment of a bridge, whose terms are part of a chain's state. */
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

/** A reorg that takes the head back takes the mark back too. */
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
