import { LRUCache } from 'lru-cache'
import { type SafeContracts, safeContractsOf } from '../../../core/safe/safeContracts.ts'
import { agreementThreshold } from '../../../services/chain/agreementThreshold.ts'
import { createRpcPool, type RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'
import {
  creationOf,
  findCreation,
  SEARCH_PATIENCE_MS,
  saveCreation,
} from '../../../services/relayer/recipients/deployed/findCreation.ts'
import { findDeployed } from '../../../services/relayer/recipients/deployed/findDeployed.ts'
import type { Db } from '../../../services/store/database/database.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { withDeadline } from '../../http/withDeadline.ts'

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

const TIMEOUT_MS = 3_000

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
      const [isThere] = await findDeployed(chain.pool, [safeAddress], TIMEOUT_MS)
      if (!isThere) return null
      // That it is deployed matters; by whom is optional.
      // A search that takes longer, or waits for its turn, continues in the background.
      const searching = limiter.pass(() => search(chainId, safeAddress)).catch(() => null)
      return { txHash: await withDeadline(SEARCH_PATIENCE_MS, searching, null) }
    },
  }
}

/** What a search for Safes needs of a chain. */
export type SafeChain = {
  pool: RpcPool
  /** Blocks on top of one that make what it holds count as settled. */
  confirmations: number
  /** How many of its providers must agree before it is stored permanently. */
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
      const agreeing = agreeingWitnesses ?? agreementThreshold(pool.providers.length)
      const contracts = safeContractsOf(chainId, safe)
      return [chainId, { pool, confirmations, agreeing, contracts }]
    }),
  )
}
