import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { askDeployed } from '../../../services/relayer/recipients/deployed/askDeployed.ts'
import {
  creationOf,
  saveCreation,
} from '../../../services/relayer/recipients/deployed/creationOf.ts'
import {
  findCreation,
  SEARCH_PATIENCE_MS,
} from '../../../services/relayer/recipients/deployed/findCreation.ts'
import type { Db } from '../../../services/store/database/database.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import type { SafeChain } from './safeChains.ts'

/** The transaction that deployed a Safe; null: unknown. */
type SafeCreation = { txHash: Hex | null }

/** Finds the transactions with which somebody else has deployed our Safes. */
export type SafeCreations = {
  /**
   * @param safeAddress lower case
   * @returns null when the Safe isn't there
   * @throws RpcError when its chain can't be asked
   */
  find(chainId: number, safeAddress: Hex): Promise<SafeCreation | null>
}

/** Searches at once, and how many wait: each may take a node dozens of questions. */
const AT_ONCE = 2
const WAITING = 20

/** Milliseconds after which what wasn't found is searched for again. */
const MISS_KEPT_MS = 600_000
const REMEMBERED = 10_000

const PATIENCE_MS = 3_000

export function createSafeCreations(db: Db, chains: ReadonlyMap<number, SafeChain>): SafeCreations {
  const limiter = createConcurrencyLimiter(AT_ONCE, WAITING, () => new Error('too many searches'))
  const misses = new LRUCache<string, number>({ max: REMEMBERED })

  function wasMissed(name: string): boolean {
    return performance.now() - (misses.get(name) ?? Number.NEGATIVE_INFINITY) < MISS_KEPT_MS
  }

  async function search(chainId: number, safeAddress: Hex): Promise<Hex | null> {
    const chain = chains.get(chainId)
    const known = await creationOf(db, chainId, safeAddress)
    if (!chain || !known || known.txHash !== null) return known?.txHash ?? null
    const name = `${chainId}:${safeAddress}`
    if (wasMissed(name)) return null
    const { proxyFactory } = chain.contracts
    const sought = { safeAddress, proxyFactory, knownSince: known.createdAt }
    const creation = await findCreation(chain.pool, sought)
    if (creation === null) {
      misses.set(name, performance.now())
      return null
    }
    if (creation.depth >= chain.confirmations) {
      await saveCreation(db, chainId, safeAddress, creation.txHash)
    }
    return creation.txHash
  }

  return {
    find: async (chainId, safeAddress) => {
      const chain = chains.get(chainId)
      if (!chain) return null
      const [isThere] = await askDeployed(chain.pool, [safeAddress], PATIENCE_MS)
      if (!isThere) return null
      // That it is deployed matters; by whom is optional.
      const searching = limiter.pass(() => search(chainId, safeAddress)).catch(() => null)
      return { txHash: await nullAfter(SEARCH_PATIENCE_MS, searching) }
    },
  }
}

/**
 * The result, or null after a while: the search, or its wait for its turn, then continues in the
 * background.
 */
async function nullAfter<Found>(milliseconds: number, work: Promise<Found>): Promise<Found | null> {
  const given = new AbortController()
  const patience = pause(milliseconds, null, { signal: given.signal }).catch(() => null)
  const found = await Promise.race([work, patience])
  given.abort()
  return found
}
