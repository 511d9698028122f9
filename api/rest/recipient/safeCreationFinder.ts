import { LRUCache } from 'lru-cache'
import { findSafeContracts, type SafeContracts } from '../../../core/safe/safeContracts.ts'
import { countRequiredWitnesses } from '../../../services/chain/countRequiredWitnesses.ts'
import { createRpcPool, type RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { findDeployedSafes } from '../../../services/relayer/recipients/deployed/findDeployedSafes.ts'
import {
  findKnownSafeCreation,
  findSafeCreation,
  SEARCH_TIMEOUT_MS,
  saveSafeCreation,
} from '../../../services/relayer/recipients/deployed/findSafeCreation.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { withDeadline } from '../../http/withDeadline.ts'

/** The transaction that deployed a Safe; null: unknown. */
type SafeCreation = { txHash: Hex | null }

/** Finds the transactions with which others deployed Safes of this relayer. */
export type SafeCreationFinder = {
  /**
   * @param safeAddress lower case
   * @returns null if the Safe isn't deployed
   * @throws RpcError if its chain can't be reached
   */
  find(chainId: number, safeAddress: Hex): Promise<SafeCreation | null>
}

/** Searches that run at once and that are queued: each may take dozens of requests to a node. */
const AT_ONCE = 2
const WAITING = 20

/** Milliseconds after which a failed search may be repeated. */
const MISS_CACHE_MS = 600_000
const MAX_MISSES = 10_000

const TIMEOUT_MS = 3_000

export function createSafeCreationFinder(
  db: Db,
  chains: ReadonlyMap<number, SafeChain>,
): SafeCreationFinder {
  const limiter = createConcurrencyLimiter(AT_ONCE, WAITING)
  const misses = new LRUCache<string, true>({ max: MAX_MISSES, ttl: MISS_CACHE_MS })

  async function search(chainId: number, safeAddress: Hex): Promise<Hex | null> {
    const chain = chains.get(chainId)
    const known = await findKnownSafeCreation(db, chainId, safeAddress)
    if (!chain || !known || known.txHash !== null) return known?.txHash ?? null
    const name = `${chainId}:${safeAddress}`
    if (misses.has(name)) return null
    const { proxyFactory } = chain.contracts
    const sought = { safeAddress, proxyFactory, knownSince: known.createdAt }
    const creation = await findSafeCreation(chain.pool, sought)
    if (creation === null) {
      misses.set(name, true)
      return null
    }
    if (creation.depth >= chain.confirmations) {
      await saveSafeCreation(db, chainId, safeAddress, creation.txHash)
    }
    return creation.txHash
  }

  return {
    find: async (chainId, safeAddress) => {
      const chain = chains.get(chainId)
      if (!chain) return null
      const [isDeployed] = await findDeployedSafes(chain.pool, [safeAddress], TIMEOUT_MS)
      if (!isDeployed) return null
      // The transaction is optional. A search that takes longer continues in the background.
      const searching = limiter.pass(() => search(chainId, safeAddress)).catch(() => null)
      return { txHash: await withDeadline(SEARCH_TIMEOUT_MS, searching, null) }
    },
  }
}

/** What is needed of a chain to find Safes. */
export type SafeChain = {
  pool: RpcPool
  /** Blocks on top of a block before its contents count as settled. */
  confirmations: number
  /** How many of its providers' operators must agree before a deployment is stored permanently. */
  agreeing: number
  contracts: SafeContracts
}

/** The chains of a configuration, by id. */
export function safeChains(
  configured: readonly Omit<ChainConfig, 'bridge' | 'startBlock'>[],
): ReadonlyMap<number, SafeChain> {
  return new Map(
    configured.map((chain) => {
      const { chainId, confirmations, safe, agreeingWitnesses } = chain
      const pool = createRpcPool(chain)
      const operators = new Set(pool.providers.map(({ operator }) => operator))
      const agreeing = agreeingWitnesses ?? countRequiredWitnesses(operators.size)
      const contracts = findSafeContracts(chainId, safe)
      return [chainId, { pool, confirmations, agreeing, contracts }]
    }),
  )
}
