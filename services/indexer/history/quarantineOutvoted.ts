import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'

/**
 * If two providers contradict each other and nothing proves either wrong, the others decide: the one with fewer
 * of them on its side is quarantined.
 *
 * @param sidesWith which of the two another provider agrees with; null if it agrees with neither or doesn't answer
 * @param what the subject on which they contradict each other
 * @returns the provider that was quarantined; null in a tie
 */
export async function quarantineOutvoted(
  pool: RpcPool,
  [one, other]: readonly [Provider, Provider],
  sidesWith: (another: Provider) => Promise<Provider | null>,
  what: string,
): Promise<Provider | null> {
  const sides = { one: [one], other: [other] }
  for (const another of pool.trusted()) {
    if (another === one || another === other) continue
    const side = await sidesWith(another)
    if (side !== null) (side === one ? sides.one : sides.other).push(another)
  }
  // A comparison of another range may have proven one of them wrong meanwhile.
  if (one.quarantine || other.quarantine) return one.quarantine ? one : other
  if (sides.one.length === sides.other.length) return null
  const isOne = sides.one.length < sides.other.length
  const loser = isOne ? one : other
  const names = (isOne ? sides.other : sides.one).map(({ name }) => name).join(', ')
  loser.setQuarantine('logs', `it gives other ${what} than ${names}`)
  return loser
}
