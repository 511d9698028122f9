import { isDevelopmentChain } from '../../../core/chain/developmentChains.ts'
import { findTrancheFiringTime } from '../../../core/order/findTrancheFiringTime.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { ChangedDuringReadError, UnusableAnswerError } from '../../chain/history/historyErrors.ts'
import type { Header } from '../../chain/history/rpcSchemas.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { readAgreedEvents, readAgreedHeader, type VaultChain } from '../chain/vaultChain.ts'
import { createFoldedOrders, type FoldedOrders } from './foldedOrders.ts'
import { appendOrderEvents, dropOrderEvents, loadOrderEvents } from './orderEventStore.ts'

/** A chain's orders at a block. */
export type VaultSnapshot = { book: FoldedOrders; head: Header }

/** A tranche that was fired while the service ran. */
export type FiredTranche = {
  /** The chain's name. */
  chain: string
  /** Seconds from its due time to its block's time. */
  lateness: number
}

/** Follows one chain's vault and bridge. */
export type VaultFollower = {
  /** The latest snapshot; null before the first. */
  latest(): VaultSnapshot | null
  /** Reads new blocks. Rejects when the chain can't be read, and keeps the latest snapshot. */
  refresh(): Promise<VaultSnapshot>
  /** Makes the next refresh read the whole history again, because something read was wrong. */
  requestReload(): void
}

/**
 * Blocks of history that are read between two saves. Their events must fit into memory, and where most nodes must agree,
 * those by each node. Requests are as narrow as a node demands.
 */
const STRIDE = 50_000
const STRIDE_OF_EACH = 5_000

/** Blocks without an order event after which the cursor is saved. */
const SAVE_EVERY = 1_000

type State = {
  /** The latest folded block. Later blocks are read again at each new head. */
  final: Header
  base: FoldedOrders
  /** The block up to which the database has the events. */
  savedTo: number
  snapshot: VaultSnapshot | null
}

/**
 * Follows a chain. Blocks with `confirmations` are folded permanently and their events copied into the database. The few
 * later blocks are read again at each new head, so that a reorg needs no repair. After a deeper reorg, or if the nodes
 * now serve another chain, it starts from the beginning.
 *
 * @param onFired called for each tranche once it is final, except those before the first refresh
 */
export function followVault(
  db: Db,
  chain: VaultChain,
  onFired: (fired: FiredTranche) => void = () => {},
): VaultFollower {
  let state: State | null = null
  let pending: Promise<VaultSnapshot> | null = null
  let mustReload = false
  // Served during a reload.
  let latest: VaultSnapshot | null = null

  async function refreshOnce(isAgain = false): Promise<VaultSnapshot> {
    state ??= await restore(db, chain)
    const head = await chain.agreed.head()
    if (state.snapshot?.head.hash === head.hash && !mustReload) return state.snapshot
    // A node that lags shows nothing of the final block: reading everything again would cost hours of tranches. A public
    // chain reaches that block again; a development chain may have been replaced since the last start.
    const mayBeReplaced = isDevelopmentChain(chain.chainId) || isBeyond(state.final, head)
    if (head.number < state.final.number && (state.snapshot !== null || !mayBeReplaced))
      throw new UnusableAnswerError(
        `${chain.name}: the node lags behind block ${state.final.number}, which is final`,
      )
    const next = await readNextFinal(chain, state.final, head)
    const follows = next !== null && next.parentHash === state.final.hash
    const isOtherHistory = !follows && !(await isCanonical(chain, state.final, head))
    if (isOtherHistory || mustReload) {
      if (isOtherHistory) latest = null
      await dropOrderEvents(db, chain)
      state = emptyState(chain)
      mustReload = false
    }
    const events = await readOn(state, head, next)
    if (events === null) {
      state = null
      if (!isAgain) return refreshOnce(true)
      throw new ChangedDuringReadError(
        'another instance is rebuilding the copied events: reading them again',
      )
    }
    const book = createFoldedOrders(state.base)
    for (const event of events) book.apply(event)
    latest = { book, head }
    state.snapshot = latest
    return latest
  }

  /**
   * Folds the blocks that have become final.
   *
   * @param known the header of one of them, if it was read
   * @returns the events after them, up to the head; null if another instance has dropped the copy meanwhile
   */
  async function readOn(
    current: State,
    head: Header,
    known: Header | null,
  ): Promise<ChainEvent[] | null> {
    const last = head.number - chain.config.confirmations
    const later: ChainEvent[] = []
    let readTo = current.final.number
    while (readTo < head.number) {
      const stride = chain.agreed.asksEach() ? STRIDE_OF_EACH : STRIDE
      const range = { from: readTo + 1, to: Math.min(head.number, readTo + stride) }
      const next = Math.min(last, range.to)
      const hasNext = next > current.final.number
      const read = async () => (known?.number === next ? known : readAgreedHeader(chain, next))
      const final = hasNext ? await read() : current.final
      const events = await readAgreedEvents(chain, range, final.number)
      const isFinal = ({ point }: ChainEvent) => point.blockNumber <= final.number
      if (!(await advance(db, chain, current, final, events.filter(isFinal), onFired))) return null
      later.push(...events.filter((event) => !isFinal(event)))
      readTo = range.to
    }
    return later
  }

  return {
    latest: () => latest,
    requestReload() {
      // While it is being read again, only the snapshot from before can be wrong.
      mustReload ||= state?.snapshot != null
    },
    // Two refreshes at once would fold the same events twice.
    refresh() {
      pending ??= refreshOnce().finally(() => {
        pending = null
      })
      return pending
    },
  }
}

async function restore(db: Db, chain: VaultChain): Promise<State> {
  const base = createFoldedOrders()
  const cursor = await loadOrderEvents(db, chain, base.apply)
  if (cursor === null) return emptyState(chain)
  const { blockNumber: number, blockHash } = cursor
  const final: Header = { number, hash: blockHash as Hex, timestamp: 0 }
  return { final, base, savedTo: number, snapshot: null }
}

/** More blocks than any chain produces while a head is fresh. */
const FAR_BLOCKS = 300
const FRESH_SECONDS = 60

/** Whether a saved block is far above a fresh head, so that it isn't the chain's: a lying node or a tampered row gave it. */
function isBeyond(saved: Header, head: Header): boolean {
  const isFresh = Math.abs(Date.now() / 1_000 - head.timestamp) < FRESH_SECONDS
  return isFresh && saved.number > head.number + FAR_BLOCKS
}

/** The state before the first block, whose hash isn't requested. */
function emptyState({ config }: VaultChain): State {
  const final: Header = { number: config.startBlock - 1, hash: '0x', timestamp: 0 }
  return { final, base: createFoldedOrders(), savedTo: final.number, snapshot: null }
}

/**
 * Folds blocks that have become final, of which these are the events. Those about orders are saved first.
 *
 * @returns false when the saved copy no longer reaches this state
 */
async function advance(
  db: Db,
  chain: VaultChain,
  state: State,
  final: Header,
  events: readonly ChainEvent[],
  onFired: (fired: FiredTranche) => void,
): Promise<boolean> {
  const trial = createFoldedOrders(state.base)
  const orderEvents = events.filter((event) => trial.apply(event))
  if (orderEvents.length > 0 || final.number - state.savedTo >= SAVE_EVERY) {
    const cursor = { blockNumber: final.number, blockHash: final.hash }
    if (!(await appendOrderEvents(db, chain, orderEvents, cursor, state.savedTo))) return false
    state.savedTo = final.number
  }
  for (const event of orderEvents) {
    const lateness = state.snapshot && latenessOf(state.base, event)
    if (lateness !== null) onFired({ chain: chain.name, lateness })
    state.base.apply(event)
  }
  state.final = final
  return true
}

/** Seconds by which a fired tranche was late; null for any other event. */
function latenessOf(book: FoldedOrders, event: ChainEvent): number | null {
  if (event.type !== 'TrancheFired') return null
  const order = book.find(event.args.orderId)
  const due = order && findTrancheFiringTime(order)
  return due === null ? null : Math.max(0, event.point.blockTimestamp - due)
}

/**
 * The block that becomes final with this head, if it is the only one: its parent hash shows whether the last final one is still
 * on the chain.
 */
async function readNextFinal(
  chain: VaultChain,
  final: Header,
  head: Header,
): Promise<Header | null> {
  const next = head.number - chain.config.confirmations
  return next === final.number + 1 ? readAgreedHeader(chain, next) : null
}

/** Whether the final block is still on the chain with this head. */
async function isCanonical(chain: VaultChain, final: Header, head: Header): Promise<boolean> {
  if (final.hash === '0x') return true
  if (head.number < final.number) return false
  return (await readAgreedHeader(chain, final.number)).hash === final.hash
}
