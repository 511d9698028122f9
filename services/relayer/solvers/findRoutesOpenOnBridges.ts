import type { BridgeDetail } from '../../store/chains/listBridges.ts'
import type { Pair } from '../../store/pairs/pairFilter.ts'

/**
 * Finds the routes on which intents can be created now: creation isn't paused, the source bridge lists tokenA and the
 * destination, and the destination's bridge lists tokenB.
 *
 * @returns whether a route is open
 */
export function findRoutesOpenOnBridges(
  bridges: readonly BridgeDetail[],
): (route: Pair) => boolean {
  const tokenNames = new Set<string>()
  const directions = new Set<string>()
  for (const { chainId, tokens, destinations, creationPaused } of bridges) {
    for (const { token, listed } of tokens) {
      if (listed) tokenNames.add(`${chainId}:${token}`)
    }
    for (const { destChainId, listed } of destinations) {
      if (listed && !creationPaused) directions.add(`${chainId}:${destChainId}`)
    }
  }
  return ({ sourceChainId, destChainId, tokenA, tokenB }) =>
    directions.has(`${sourceChainId}:${destChainId}`) &&
    tokenNames.has(`${sourceChainId}:${tokenA}`) &&
    tokenNames.has(`${destChainId}:${tokenB}`)
}
