import type { VaultFollower } from '../follow/followVault.ts'
import { OrderError } from '../orderError.ts'

/** Seconds for which a request may be funded: a refused one lapses by itself. Clocks may differ a little. */
export const FUNDING_SECONDS = 600 - 20

/**
 * Until when an order may be funded, in unix seconds. The vault goes by its chain's latest block, which lags
 * behind the clock, and accepts no deadline too far ahead of it; the enclaves go by their clocks. Another
 * chain's time doesn't matter. A service that has just started reads the block first.
 *
 * @param now unix seconds
 * @throws OrderError when the chain can't be read, or lags so far that nothing can be funded in it now
 */
export async function fundingDeadline(
  follower: Pick<VaultFollower, 'latest' | 'look'>,
  now: number,
): Promise<number> {
  const followed = follower.latest() ?? (await follower.look().catch(() => null))
  if (followed === null) throw passing('the chain’s nodes can’t be reached: try again')
  const deadline = Math.min(now, followed.head.timestamp) + FUNDING_SECONDS
  if (deadline <= now) throw passing('the chain has had no block for minutes: try again later')
  return deadline
}

function passing(words: string): OrderError {
  return new OrderError('RPC_UNREACHABLE', words)
}
