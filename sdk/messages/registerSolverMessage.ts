import { keccak256, stringToHex } from 'viem'

/** A pair a solver serves, as sent. */
export type RouteText = { sourceChain: string; destChain: string; tokenA: string; tokenB: string }

/**
 * What a solver signs to register: `X-Solver-Signature`. It contains the hash of the routes, written as
 * `sourceChain:destChain:tokenA:tokenB` in lower case and joined by commas.
 *
 * @param solverAddress as sent, in the same letter case
 * @param timestamp unix seconds, also sent as `X-Timestamp`; valid for five minutes
 */
export function registerSolverMessage(
  solverAddress: string,
  routes: readonly RouteText[],
  timestamp: number,
): string {
  const text = routes
    .map(({ sourceChain, destChain, tokenA, tokenB }) =>
      [sourceChain, destChain, tokenA, tokenB].join(':').toLowerCase(),
    )
    .join(',')
  return `REGISTER_SOLVER:${solverAddress}:${keccak256(stringToHex(text))}:${timestamp}`
}
