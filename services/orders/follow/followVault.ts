import { dueAt } from '../../../core/order/dueAt.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { requestHeader } from '../../chain/history/requestInBatches.ts'
import type { Header } from '../../chain/history/rpcSchemas.ts'
import type { Db } from '../../store/database/database.ts'
import { type OrderChain, readEvents } from '../chain/orderChain.ts'
import { dropCopy, extendCopy, loadCopy } from './copiedEvents.ts'
import { createOrderBook, type OrderBook } from './orderBook.ts'

/** A chain's orders at a block. */
export type Followed = { book: OrderBook; head: Header }

/** A tranche that was fired while its chain was followed. */
export type FiredTranche = {
  /** The chain's name. */
  chain: string
  /** Seconds from when it was due to the time of its block. */
  lateness: number
}

/** Follows one chain's vault and bridge. */
export type VaultFollower = {
  /** The orders as of the last look; null before the first that succeeded. */
  latest(): Followed | null
  /** Reads what is new. Rejects when the chain can't be read; what it had stays. */
  look(): Promise<Followed>
  /** Reads everything again next time, because something that was read is false. */
  doubt(): void
}

/** Blocks of history that are read before what was read is kept. */
const STRIDE = 50_000

/** Blocks without an order event after which the cursor is saved. */
const KEEP_EVERY = 1_000

type State = {
  /** Everything up to here is folded; blocks above are read again at each new head. */
  final: Header
  base: OrderBook
  /** Up to where it is in the database. */
  keptTo: number
  followed: Followed | null
}

/**
 * Follows a chain: what is as deep as `confirmations` is folded permanently and copied into the database,
 * and the few blocks above are read again at each new head, so that a reorg needs no repair. After a
 * deeper reorg, or with another chain at the same place, it starts from the beginning.
 *
 * @param onFired called with each tranche once it is final, except those before the first look
 */
export function followVault(
  db: Db,
  chain: OrderChain,
  onFired: (fired: FiredTranche) => void = () => {},
): VaultFollower {
  let state: State | null = null
  let underWay: Promise<Followed> | null = null
  let isDoubted = false
  // While everything is read again, the earlier state is still served.
  let latest: Followed | null = null

  async function lookOnce(): Promise<Followed> {
    state ??= await open(db, chain)
    const head = await requestHeader(chain.pool, 'latest')
    if (state.followed?.head.hash === head.hash && !isDoubted) return state.followed
    const isOther = !(await isOurs(chain, state.final))
    if (isOther || isDoubted) {
      if (isOther) latest = null
      await dropCopy(db, chain)
      state = emptyState(chain)
      isDoubted = false
    }
    if (!(await advance(db, chain, state, head.number - chain.config.confirmations, onFired))) {
      state = null
      throw new Error('another instance is rebuilding the copied events: reading them again')
    }
    const book = createOrderBook(state.base)
    const range = { from: state.final.number + 1, to: head.number }
    if (range.from <= range.to) for await (const event of readEvents(chain, range)) book.take(event)
    latest = { book, head }
    state.followed = latest
    return latest
  }

  return {
    latest: () => latest,
    doubt() {
      isDoubted = true
    },
    // Two at once would fold the same events twice.
    look() {
      underWay ??= lookOnce().finally(() => {
        underWay = null
      })
      return underWay
    },
  }
}

async function open(db: Db, chain: OrderChain): Promise<State> {
  const copy = await loadCopy(db, chain)
  if (copy === null) return emptyState(chain)
  const base = createOrderBook()
  for (const event of copy.events) base.take(event)
  const { blockNumber: number, blockHash } = copy.cursor
  const final: Header = { number, hash: blockHash as Hex, timestamp: 0 }
  return { final, base, keptTo: number, followed: null }
}

/** Before our first block; its hash isn't requested. */
function emptyState({ config }: OrderChain): State {
  const final: Header = { number: config.startBlock - 1, hash: '0x', timestamp: 0 }
  return { final, base: createOrderBook(), keptTo: final.number, followed: null }
}

/**
 * Folds what has become final. It is saved first: folding it twice would count it twice.
 *
 * @returns false when the saved copy no longer reaches this state
 */
async function advance(
  db: Db,
  chain: OrderChain,
  state: State,
  to: number,
  onFired: (fired: FiredTranche) => void,
): Promise<boolean> {
  while (state.final.number < to) {
    const next = Math.min(state.final.number + STRIDE, to)
    const final = await requestHeader(chain.pool, next)
    const trial = createOrderBook(state.base)
    const kept: ChainEvent[] = []
    const range = { from: state.final.number + 1, to: next }
    for await (const event of readEvents(chain, range)) if (trial.take(event)) kept.push(event)
    if (kept.length > 0 || next - state.keptTo >= KEEP_EVERY) {
      const cursor = { blockNumber: final.number, blockHash: final.hash }
      if (!(await extendCopy(db, chain, kept, cursor, state.keptTo))) return false
      state.keptTo = next
    }
    for (const event of kept) {
      const fired = state.followed && latenessOf(state.base, event)
      if (fired !== null) onFired({ chain: chain.name, lateness: fired })
      state.base.take(event)
    }
    state.final = final
  }
  return true
}

/** Seconds from when a tranche was due to its block; null for any other event. */
function latenessOf(book: OrderBook, event: ChainEvent): number | null {
  if (event.type !== 'TrancheFired') return null
  const order = book.find(event.args.orderId)
  const due = order && dueAt(order)
  return due === null ? null : Math.max(0, event.point.blockTimestamp - due)
}

async function isOurs({ pool }: OrderChain, final: Header): Promise<boolean> {
  if (final.hash === '0x') return true
  const head = await requestHeader(pool, 'latest')
  if (head.number < final.number) return false
  return (await requestHeader(pool, final.number)).hash === final.hash
}
