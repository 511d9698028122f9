import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { LedgerReport } from '../checkVaultLedger.ts'
import type { ServedChain } from '../ordersContext.ts'
import { findUnreadOrders, isReadableNow, type UnreadOrder } from './findUnreadOrders.ts'
import type { VaultSnapshot } from './followVault.ts'
import { createGrowingWait } from './growingWait.ts'
import { acceptGifts, judgeSurplus, type SearchedFundings } from './judgeSurplus.ts'

/** Looks for open orders of a vault whose funding every node that was asked has hidden, so that nothing was read of them. */
export type UnreadOrderSearch = {
  /** Those that the latest search found. */
  unread(): readonly UnreadOrder[]
  /** Searches if the ledger gives a reason to, and has the history read again once that finds the order. */
  check(ledger: LedgerReport, snapshot: VaultSnapshot, signal: AbortSignal): Promise<void>
}

/** Milliseconds after which gifts are doubted once more: every node may have hidden an order when it was looked for. */
const DOUBT_AGAIN_MS = 86_400_000

/**
 * @param retryMs least milliseconds between two searches. The wait grows while orders remain unread: one of two nodes may
 *   have invented them, and each step waits while the history is read again
 * @param clock milliseconds by a clock that nobody sets
 */
export function createUnreadOrderSearch(
  chain: ServedChain,
  retryMs: number,
  clock = () => performance.now(),
): UnreadOrderSearch {
  const nothing: SearchedFundings = {
    searchedTo: chain.config.startBlock - 1,
    gifts: new Map(),
    doubtful: null,
  }
  let known = nothing
  let unread: UnreadOrder[] = []
  const wait = createGrowingWait(retryMs, clock)
  let failure: unknown = null
  let doubtFrom = clock() + DOUBT_AGAIN_MS
  return {
    unread: () => unread,
    async check(ledger, { book, head }, signal) {
      if (clock() >= doubtFrom) {
        doubtFrom = clock() + DOUBT_AGAIN_MS
        known = nothing
      }
      const judged = judgeSurplus(known, ledger, head.number - chain.config.confirmations)
      known = judged.known
      if (known.doubtful === null) {
        unread = []
        failure = null
        wait.reset()
      }
      if (judged.range === null) return
      // Until it succeeds, the chain’s problem remains.
      if (!wait.isOver() && failure !== null) throw failure
      if (!wait.isOver()) return
      wait.start()
      failure = null
      await search(book, judged.range, signal).catch((error: unknown) => {
        failure = error
        throw error
      })
    },
  }

  async function search(
    book: VaultSnapshot['book'],
    range: BlockRange,
    signal: AbortSignal,
  ): Promise<void> {
    unread = await findUnreadOrders(chain, book, range, signal)
    if (unread.length === 0) known = acceptGifts(known, range.to)
    else wait.grow()
    for (const order of unread) {
      if (!(await isReadableNow(chain, order))) continue
      chain.follower.requestReload()
      return
    }
  }
}
