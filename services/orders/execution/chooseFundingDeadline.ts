import type { VaultFollower } from '../follow/followVault.ts'
import { OrderError } from '../orderError.ts'

/** Seconds until a funding request expires, less a margin for differing clocks. */
export const FUNDING_SECONDS = 600 - 20

/**
 * The deadline of a funding, in unix seconds. The vault compares it with its chain's latest block, which lags behind
 * the clock, and rejects a deadline too far ahead; the enclaves compare it with their own clocks.
 *
 * @param now unix seconds
 * @throws OrderError when the chain can't be read, or lags too far behind
 */
export async function chooseFundingDeadline(
  follower: Pick<VaultFollower, 'latest' | 'refresh'>,
  now: number,
): Promise<number> {
  const snapshot = follower.latest() ?? (await follower.refresh().catch(() => null))
  if (snapshot === null) throw unavailable('the chain’s nodes can’t be reached: try again')
  const deadline = Math.min(now, snapshot.head.timestamp) + FUNDING_SECONDS
  if (deadline <= now) throw unavailable('the chain has had no block for minutes: try again later')
  return deadline
}

function unavailable(message: string): OrderError {
  return new OrderError('RPC_UNREACHABLE', message)
}
