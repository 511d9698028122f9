import { crossCheckBlock } from './crossCheckBlock.ts'
import { pause } from './provider.ts'
import type { RpcPool } from './rpcPool.ts'

/** Pools that returned a header which hashes to its block's hash. That is a property of the chain, so it is permanent. */
const verifiable = new WeakSet<RpcPool>()

/** Whether `hasVerifiableHeaders` has found that the chain's headers hash to their blocks' hashes. */
export function knowsVerifiableHeaders(pool: RpcPool): boolean {
  return verifiable.has(pool)
}

/** Minimum milliseconds between two requests to a provider that didn't answer. */
const RETRY_MS = 250

/**
 * Cross-checks a block and returns whether the chain's headers hash to their block hashes, which exposes false headers.
 *
 * A header that doesn't verify may itself be false. Then providers that didn't answer are asked again, for up to
 * `totalTimeoutMs`.
 */
export async function hasVerifiableHeaders(
  pool: RpcPool,
  blockNumber: number,
  {
    totalTimeoutMs,
    ...options
  }: { signal?: AbortSignal | undefined; totalTimeoutMs: number; refusesTie?: boolean },
): Promise<boolean> {
  const deadline = performance.now() + totalTimeoutMs
  while (true) {
    const { isVerifiable, silent } = await crossCheckBlock(pool, blockNumber, options)
    if (isVerifiable) verifiable.add(pool)
    const pending = silent.filter(({ quarantine }) => quarantine === undefined)
    if (verifiable.has(pool) || pending.length === 0) return verifiable.has(pool)
    const readyIn = Math.min(...pending.map((provider) => provider.readyIn(1)))
    const waitMs = Math.max(RETRY_MS, readyIn)
    if (performance.now() + waitMs > deadline) return false
    await pause(waitMs, options.signal)
  }
}
