import { keccak256, stringToHex } from 'viem'

/** A pair that a solver serves, as sent. */
export type RouteText = { sourceChain: string; destChain: string; tokenA: string; tokenB: string }

/**
 * What a solver signs to register: `X-Solver-Signature`. The routes go into it as
 * `sourceChain:destChain:tokenA:tokenB`, in lower case and joined by commas, hashed.
 *
 * @param solverAddress as it is sent, in its own letter case
 * @param timestamp unix seconds, also sent as `X-Timestamp`; good for five minutes
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
