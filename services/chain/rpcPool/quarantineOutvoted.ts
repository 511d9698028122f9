import type { Provider } from './provider.ts'
import type { RpcPool } from './rpcPool.ts'

/**
 * Decides between two providers that contradict each other without proof: quarantines the provider that fewer of the other
 * providers agree with.
 *
 * @param voteOf which of the two another provider agrees with; null if with neither, or without an answer
 * @param subject what they disagree about
 * @returns the quarantined provider; null in a tie
 */
export async function quarantineOutvoted(
  pool: RpcPool,
  [one, other]: readonly [Provider, Provider],
  voteOf: (voter: Provider) => Promise<Provider | null>,
  subject: string,
): Promise<Provider | null> {
  const sides = { one: [one], other: [other] }
  for (const voter of pool.trusted()) {
    if (voter === one || voter === other) continue
    const side = await voteOf(voter)
    if (side !== null) (side === one ? sides.one : sides.other).push(voter)
  }
  // A concurrent comparison of another range may have proven one of them wrong.
  if (one.quarantine || other.quarantine) return one.quarantine ? one : other
  if (sides.one.length === sides.other.length) return null
  const isOne = sides.one.length < sides.other.length
  const loser = isOne ? one : other
  const names = (isOne ? sides.other : sides.one).map(({ name }) => name).join(', ')
  loser.setQuarantine('logs', `its ${subject} differ from those of ${names}`)
  return loser
}
