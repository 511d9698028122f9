import { type SafeContracts, safeContractsOf } from '../../../core/safe/safeContracts.ts'
import { agreementThreshold } from '../../../services/chain/agreementThreshold.ts'
import { createRpcPool, type RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'

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
