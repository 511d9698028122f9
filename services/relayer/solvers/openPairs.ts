import type { BridgeDetail } from '../../store/chains/listBridges.ts'
import type { Route } from './solverRegistration.ts'

/** Whether an intent can be created on a pair now. */
type IsOpen = (route: Route) => boolean

/**
 * Pairs that the bridges allow: the token may leave the source chain, the destination is listed, the
 * other token is one that the destination chain's bridge knows, and creation isn't paused.
 */
export function openPairs(bridges: readonly BridgeDetail[]): IsOpen {
  const listed = new Set<string>()
  const ways = new Set<string>()
  for (const { chainId, tokens, destinations, creationPaused } of bridges) {
    for (const { token, listed: isListed } of tokens) {
      if (isListed) listed.add(`${chainId}:${token}`)
    }
    for (const { destChainId, listed: isListed } of destinations) {
      if (isListed && !creationPaused) ways.add(`${chainId}:${destChainId}`)
    }
  }
  return ({ sourceChainId, destChainId, tokenA, tokenB }) =>
    ways.has(`${sourceChainId}:${destChainId}`) &&
    listed.has(`${sourceChainId}:${tokenA}`) &&
    listed.has(`${destChainId}:${tokenB}`)
}
