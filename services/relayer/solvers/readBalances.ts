import { erc20Abi } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { chainClient } from '../../chain/chainClient.ts'
import type { Balance, Route } from './solverRegistration.ts'

/** Reads a chain; null for one that isn't configured. */
type ClientOf = (chainId: number) => Pick<ReturnType<typeof chainClient>, 'multicall'> | null

/**
 * What an account holds of the tokens of these routes, on both sides, read on the chains themselves.
 * A chain that doesn't answer, and a token that is none, are left out.
 */
export async function readBalances(
  clientOf: ClientOf,
  account: Hex,
  routes: readonly Route[],
): Promise<Balance[]> {
  const requested = new Map<number, Set<Hex>>()
  for (const { sourceChainId, destChainId, tokenA, tokenB } of routes) {
    requested.set(sourceChainId, (requested.get(sourceChainId) ?? new Set()).add(tokenA))
    requested.set(destChainId, (requested.get(destChainId) ?? new Set()).add(tokenB))
  }
  const ofChains = [...requested].map(([chainId, tokens]) =>
    onChain(clientOf, chainId, account, tokens),
  )
  return (await Promise.all(ofChains)).flat()
}

async function onChain(
  clientOf: ClientOf,
  chainId: number,
  account: Hex,
  tokens: ReadonlySet<Hex>,
): Promise<Balance[]> {
  const contracts = [...tokens].map((address) => ({
    ...{ address, abi: erc20Abi, functionName: 'balanceOf' as const },
    args: [account] as const,
  }))
  const results = await clientOf(chainId)
    ?.multicall({ contracts })
    .catch(() => null)
  return (results ?? []).flatMap(({ result }, position) => {
    const token = [...tokens][position]
    return typeof result === 'bigint' && token ? [{ chainId, token, balance: result }] : []
  })
}
