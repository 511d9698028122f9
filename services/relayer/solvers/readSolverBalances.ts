import { erc20Abi } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { createChainClient } from '../../chain/chainClient.ts'
import type { Pair } from '../../store/pairs/pairFilter.ts'
import type { Balance } from './solverRegistration.ts'

/** A client of a chain's nodes; null if the chain isn't configured. */
type ClientOf = (chainId: number) => Pick<ReturnType<typeof createChainClient>, 'multicall'> | null

/**
 * Reads on the chains what a solver holds of the tokens of these routes, on both sides. Omits chains that don't answer
 * and addresses that aren't tokens.
 */
export async function readSolverBalances(
  clientOf: ClientOf,
  solver: Hex,
  routes: readonly Pair[],
): Promise<Balance[]> {
  const tokensByChain = new Map<number, Set<Hex>>()
  for (const { sourceChainId, destChainId, tokenA, tokenB } of routes) {
    tokensByChain.set(sourceChainId, (tokensByChain.get(sourceChainId) ?? new Set()).add(tokenA))
    tokensByChain.set(destChainId, (tokensByChain.get(destChainId) ?? new Set()).add(tokenB))
  }
  const balances = await Promise.all(
    [...tokensByChain].map(([chainId, tokens]) =>
      readOnChain(clientOf, chainId, solver, [...tokens]),
    ),
  )
  return balances.flat()
}

async function readOnChain(
  clientOf: ClientOf,
  chainId: number,
  solver: Hex,
  tokens: readonly Hex[],
): Promise<Balance[]> {
  const contracts = tokens.map((address) => ({
    address,
    abi: erc20Abi,
    functionName: 'balanceOf' as const,
    args: [solver] as const,
  }))
  const results = await clientOf(chainId)
    ?.multicall({ contracts })
    .catch(() => null)
  return tokens.flatMap((token, position) => {
    const balance = results?.[position]?.result
    return typeof balance === 'bigint' ? [{ chainId, token, balance }] : []
  })
}
