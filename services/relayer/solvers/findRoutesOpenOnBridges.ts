import type { BridgeDetail } from '../../store/chains/listBridges.ts'
import type { Route } from './solverRegistration.ts'

/**
 * Finds the routes on which intents can be created now: creation isn't paused, the source bridge lists tokenA and the
 * destination, and the destination's bridge lists tokenB.
 *
 * @returns whether a route is open
 */
export function findRoutesOpenOnBridges(
  bridges: readonly BridgeDetail[],
): (route: Route) => boolean {
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
