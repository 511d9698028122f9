import { LRUCache } from 'lru-cache'
import { createTokenBuckets } from '../../../services/process/tokenBucket.ts'
import {
  checkSettled,
  findDeployed,
  markDeployed,
} from '../../../services/relayer/recipients/deployed/findDeployed.ts'
import type { SeenEntry } from '../../../services/relayer/recipients/entries/findEntries.ts'
import type { Db } from '../../../services/store/database/database.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { withDeadline } from '../../http/withDeadline.ts'
import type { SafeChain } from './safeCreations.ts'

/** Whether a Safe was there when its chain was last asked, in unix milliseconds; null: it never was. */
type Look = { isDeployed: boolean; askedAt: number | null }

/** Tracks which Safes are deployed, and asks their chains as rarely as possible. */
export type DeployedSafes = {
  /**
   * The state of these Safes, after checking those that may have been deployed since the last check. A
   * chain that doesn't answer soon leaves its Safes as last seen; the call never throws for it.
   *
   * @param client whose pace is charged
   * @param hasSent whether money has left an entry's Safe: one that isn't there can't have sent any
   * @returns of each entry, in their order
   */
  look(
    entries: readonly SeenEntry[],
    client: string,
    hasSent?: (entry: SeenEntry) => boolean,
  ): Promise<Look[]>
}

/** Milliseconds for which an answer is cached. A deployed Safe stays, except in a reorg. */
const ABSENT_FOR = 10_000
/** Of a Safe that must be there by now. */
const DOUBTED_FOR = 100
const PRESENT_FOR = 60_000

/** Safes checked at once: those checked longest ago or never, of these the newest. */
const AT_ONCE = 100

/** Safes checked per client: its first page at once, then a trickle. */
const PACE = { perSecond: 20, burst: 200 }

/** Checks that wait for their turn at a chain, which gets one request at a time. */
const WAITING = 64

/** Milliseconds that an answer waits for chains. */
const TIMEOUT_MS = 1_500

/** Safes whose last check and its answer are kept. */
const REMEMBERED = 50_000

/** @param timeoutMs how long an answer waits for chains. Default 1,500 */
export function createDeployedSafes(
  db: Db,
  chains: ReadonlyMap<number, Pick<SafeChain, 'pool' | 'confirmations' | 'agreeing'>>,
  timeoutMs = TIMEOUT_MS,
): DeployedSafes {
  const turnstiles = new Map(
    [...chains.keys()].map((chainId) => [chainId, createConcurrencyLimiter(1, WAITING, tooMany)]),
  )
  const pace = createTokenBuckets(PACE)
  const remembered = new LRUCache<string, Look & { askedAt: number }>({ max: REMEMBERED })
  /** When each was last checked, answered or not, so that an unreachable chain delays no other's turn. */
  const triedAt = new LRUCache<string, number>({ max: REMEMBERED })

  function know(entry: SeenEntry): Look {
    const seenAt = entry.deployedSeenAt?.getTime() ?? null
    const look = remembered.get(nameOf(entry))
    // Another instance may have seen it since.
    if (!entry.deployedForGood && look && look.askedAt >= (seenAt ?? 0)) return look
    return { isDeployed: seenAt !== null, askedAt: seenAt }
  }

  function isOutdated(entry: SeenEntry, hasSent: boolean): boolean {
    if (entry.deployedForGood) return false
    const { isDeployed, askedAt } = know(entry)
    const goodFor = isDeployed ? PRESENT_FOR : hasSent ? DOUBTED_FOR : ABSENT_FOR
    return askedAt === null || Date.now() - askedAt > goodFor
  }

  function mostUrgent(entries: readonly SeenEntry[]): SeenEntry[] {
    const tried = (entry: SeenEntry) => triedAt.get(nameOf(entry)) ?? 0
    const inTurn = entries.toReversed().toSorted((one, other) => tried(one) - tried(other))
    return inTurn.slice(0, AT_ONCE).toReversed()
  }

  async function ask(
    chainId: number,
    entries: readonly SeenEntry[],
    isUnsure: (entry: SeenEntry) => boolean,
  ): Promise<void> {
    const chain = chains.get(chainId)
    if (!chain) return
    const there = await turnstiles.get(chainId)?.pass(async () => {
      // An earlier check may have covered the same.
      const unsure = entries.filter(isUnsure)
      if (unsure.length === 0) return []
      const askedAt = Date.now()
      for (const entry of unsure) triedAt.set(nameOf(entry), askedAt)
      const safes = unsure.map(({ safeAddress }) => safeAddress)
      const found = await findDeployed(chain.pool, safes, timeoutMs)
      for (const [position, entry] of unsure.entries()) {
        const isDeployed = found[position]
        if (isDeployed !== undefined) remembered.set(nameOf(entry), { isDeployed, askedAt })
      }
      const seen = safes.filter((_, position) => found[position])
      await markDeployed(db, chainId, seen, false)
      return seen
    })
    // No answer and no turn depends on this.
    void checkSettled(chain, there ?? [], timeoutMs)
      .then((settled) => markDeployed(db, chainId, settled, true))
      .catch(() => {})
  }

  return {
    look: async (entries, client, hasSent = () => false) => {
      const isUnsure = (entry: SeenEntry) =>
        chains.has(entry.chainId) && isOutdated(entry, hasSent(entry))
      const unsure = mostUrgent(entries.filter(isUnsure))
      if (unsure.length > 0 && pace.take(client, unsure.length).allowed) {
        const byChain = Map.groupBy(unsure, ({ chainId }) => chainId)
        const asked = [...byChain].map(([chainId, some]) =>
          ask(chainId, some, isUnsure).catch(() => {}),
        )
        await withDeadline(timeoutMs, Promise.all(asked), null)
      }
      return entries.map(know)
    },
  }
}

function tooMany(): Error {
  return new Error('too many looks')
}

function nameOf({ chainId, safeAddress }: SeenEntry): string {
  return `${chainId}:${safeAddress}`
}
