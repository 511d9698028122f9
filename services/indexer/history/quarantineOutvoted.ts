import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'

/**
 * Where two providers contradict each other and nothing proves either wrong, the others decide: whoever has fewer of
 * them on its side is quarantined.
 *
 * @param sidesWith which of the two another provider agrees with; null: with neither, or it doesn't answer
 * @param what they contradict each other about
 * @returns who was quarantined; null when as many agree with one as with the other
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
  // Another range, under way at the same time, may have found one of them out.
  if (one.quarantine || other.quarantine) return one.quarantine ? one : other
  if (sides.one.length === sides.other.length) return null
  const isOne = sides.one.length < sides.other.length
  const loser = isOne ? one : other
  const names = (isOne ? sides.other : sides.one).map(({ name }) => name).join(', ')
  loser.setQuarantine('logs', `it gives other ${what} than ${names}`)
  return loser
}
