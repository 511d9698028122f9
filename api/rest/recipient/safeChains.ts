import { type SafeContracts, safeContractsOf } from '../../../core/safe/safeContracts.ts'
import { defaultAgreement } from '../../../services/chain/defaultAgreement.ts'
import { createRpcPool, type RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'

/** A chain as far as looking for Safes on it needs to know it. */
export type SafeChain = {
  pool: RpcPool
  /** Blocks on top of one that make what it holds count as settled. */
  confirmations: number
  /** How many of its providers must say the same before it is kept for good. */
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
      const agreeing = agreeingWitnesses ?? defaultAgreement(pool.providers.length)
      const contracts = safeContractsOf(chainId, safe)
      return [chainId, { pool, confirmations, agreeing, contracts }]
    }),
  )
}
