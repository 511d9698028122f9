import { headerMatchesHash } from '../proof/headerMatchesHash.ts'
import { knowsVerifiableHeaders } from './hasVerifiableHeaders.ts'
import type { RpcPool } from './rpcPool.ts'

/**
 * Whether a header doesn't hash to its block's hash, though others of the chain do. With a false bloom, Ponder would pass over
 * a block's logs. A sole provider's headers are taken as they are.
 */
export function isUnproven(pool: RpcPool, block: unknown): boolean {
  return knowsVerifiableHeaders(pool) && pool.trusted().length > 1 && !headerMatchesHash(block)
}

/**
 * Whether at least half of the providers return such headers. Then one is used if there is no other: a fork may have added a
 * field to them. Of three providers, one can't cause that alone.
 */
export function isUnprovenByHalf(pool: RpcPool, providers: number): boolean {
  return providers > 0 && providers * 2 >= pool.trusted().length
}
