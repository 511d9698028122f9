import { LRUCache } from 'lru-cache'
import { createTokenBuckets } from '../../../services/process/tokenBuckets.ts'
import {
  findDeployedSafes,
  findSettledDeployments,
  markDeployed,
} from '../../../services/relayer/recipients/deployed/findDeployedSafes.ts'
import type { SeenEntry } from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { withDeadline } from '../../http/withDeadline.ts'
import type { SafeChain } from './safeCreationFinder.ts'

/** Whether a Safe was deployed at the last check (unix milliseconds; null: it was never checked). */
type DeploymentCheck = { isDeployed: boolean; checkedAt: number | null }

/** Tracks which Safes are deployed, with as few requests to their chains as possible. */
export type DeployedSafes = {
  /**
   * Checks those Safes that may have been deployed since their last check. If a chain doesn't answer in time, its
   * Safes keep their last state.
   *
   * @param client the client that is charged
   * @param hasSent whether money has left an entry's Safe, which must be deployed then
   * @returns each entry's state, in their order
   */
  check(
    entries: readonly SeenEntry[],
    client: string,
    hasSent?: (entry: SeenEntry) => boolean,
  ): Promise<DeploymentCheck[]>
}

/** Milliseconds for which a check is cached. A deployed Safe can disappear in a reorg. */
const ABSENT_MS = 10_000
/** For a Safe that must be deployed by now. */
const EXPECTED_MS = 100
const DEPLOYED_MS = 60_000

/** Safes checked at once: those checked longest ago or never, the newest first. */
const AT_ONCE = 100

/** Safes checked per client. */
const PACE = { perSecond: 20, burst: 200 }

/** Queued checks per chain, which gets one request at a time. */
const WAITING = 64

/** Milliseconds to wait for the chains. */
const TIMEOUT_MS = 1_500

/** Safes whose last check is kept in memory. */
const MAX_REMEMBERED = 50_000

/** @param timeoutMs milliseconds to wait for the chains */
export function createDeployedSafes(
  db: Db,
  chains: ReadonlyMap<number, Pick<SafeChain, 'pool' | 'confirmations' | 'agreeing'>>,
  timeoutMs = TIMEOUT_MS,
): DeployedSafes {
  const limiters = new Map(
    [...chains.keys()].map((chainId) => [chainId, createConcurrencyLimiter(1, WAITING)]),
  )
  const pace = createTokenBuckets(PACE)
  const remembered = new LRUCache<string, DeploymentCheck & { checkedAt: number }>({
    max: MAX_REMEMBERED,
  })
  /** When each was last tried, even if the chain didn't answer, so that each gets its turn. */
  const triedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED })

  function lastCheck(entry: SeenEntry): DeploymentCheck {
    const seenAt = entry.deployedSeenAt?.getTime() ?? null
    const check = remembered.get(nameOf(entry))
    // Another instance may have seen it deployed since.
    if (!entry.deployedForGood && check && check.checkedAt >= (seenAt ?? 0)) return check
    return { isDeployed: seenAt !== null, checkedAt: seenAt }
  }

  function isStale(entry: SeenEntry, hasSent: boolean): boolean {
    if (entry.deployedForGood) return false
    const { isDeployed, checkedAt } = lastCheck(entry)
    const validMs = isDeployed ? DEPLOYED_MS : hasSent ? EXPECTED_MS : ABSENT_MS
    // A check in the future is none to rely on: the clock was set back since.
    return checkedAt === null || Math.abs(Date.now() - checkedAt) > validMs
  }

  function mostUrgent(entries: readonly SeenEntry[]): SeenEntry[] {
    const tried = (entry: SeenEntry) => triedAt.get(nameOf(entry)) ?? 0
    const inTurn = entries.toReversed().toSorted((one, other) => tried(one) - tried(other))
    return inTurn.slice(0, AT_ONCE).toReversed()
  }

  async function checkOn(
    chainId: number,
    entries: readonly SeenEntry[],
    isDue: (entry: SeenEntry) => boolean,
  ): Promise<void> {
    const chain = chains.get(chainId)
    if (!chain) return
    const deployed = await limiters.get(chainId)?.pass(async () => {
      // A check that ran meanwhile may have covered them.
      const due = entries.filter(isDue)
      if (due.length === 0) return []
      const checkedAt = Date.now()
      for (const entry of due) triedAt.set(nameOf(entry), checkedAt)
      const safes = due.map(({ safeAddress }) => safeAddress)
      const found = await findDeployedSafes(chain.pool, safes, timeoutMs)
      for (const [position, entry] of due.entries()) {
        const isDeployed = found[position]
        if (isDeployed !== undefined) remembered.set(nameOf(entry), { isDeployed, checkedAt })
      }
      const seen = safes.filter((_, position) => found[position])
      await markDeployed(db, chainId, seen, false)
      return seen
    })
    // In the background: no answer depends on it.
    void findSettledDeployments(chain, deployed ?? [], timeoutMs)
      .then((settled) => markDeployed(db, chainId, settled, true))
      .catch(() => {})
  }

  return {
    check: async (entries, client, hasSent = () => false) => {
      const isDue = (entry: SeenEntry) =>
        chains.has(entry.chainId) && isStale(entry, hasSent(entry))
      const due = mostUrgent(entries.filter(isDue))
      if (due.length > 0 && pace.take(client, due.length).allowed) {
        const byChain = Map.groupBy(due, ({ chainId }) => chainId)
        const checks = [...byChain].map(([chainId, some]) =>
          checkOn(chainId, some, isDue).catch(() => {}),
        )
        await withDeadline(timeoutMs, Promise.all(checks), null)
      }
      return entries.map(lastCheck)
    },
  }
}

function nameOf({ chainId, safeAddress }: SeenEntry): string {
  return `${chainId}:${safeAddress}`
}
