import type { Header } from '../../chain/history/rpcSchemas.ts'
import type { VaultFollower } from '../follow/followVault.ts'
import { createClocksDifferError } from './fundingErrors.ts'
import { throwUnreachable } from './queryVault.ts'

/** Seconds until a funding request expires, less a margin for differing clocks. */
export const FUNDING_SECONDS = 600 - 20

/**
 * The deadline of a funding, in unix seconds. The vault compares it with its chain's latest block, which lags behind
 * the clock, and rejects a deadline too far ahead; the enclaves compare it with their own clocks.
 *
 * @param now unix seconds
 * @param wake has the chain produce a block if it has been silent
 * @throws OrderError when the chain can't be read, or lags too far behind
 */
export async function chooseFundingDeadline(
  follower: Pick<VaultFollower, 'latest' | 'refresh'>,
  now: number,
  wake: (head: Header) => Promise<void>,
): Promise<number> {
  const { head } = follower.latest() ?? (await follower.refresh().catch(throwUnreachable))
  const deadline = Math.min(now, head.timestamp) + FUNDING_SECONDS
  if (deadline > now) return deadline
  // A chain that produces blocks only for transactions would otherwise take no order until somebody else sends one.
  await wake(head)
  const seconds = now - head.timestamp
  throw createClocksDifferError(
    `the chain’s latest block is ${seconds} seconds older than the service’s clock`,
  )
}
