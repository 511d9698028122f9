import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type {
  Balance,
  SolverRegistration,
} from '../../../services/relayer/solvers/solverRegistration.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import { address, amount, moment } from '../../http/valueSchemas.ts'

/** Schemas of routes and solvers in answers. */

export const routeSchema = z
  .object({ sourceChain: z.string(), destChain: z.string(), tokenA: address, tokenB: address })
  .openapi('Route')

export const balanceSchema = z
  .object({ chain: z.string(), token: address, balance: amount })
  .openapi('Balance')

export const solverSchema = z
  .object({
    address,
    routes: z.array(routeSchema),
    balances: z.array(balanceSchema),
    registeredAt: moment,
    lastSeen: moment,
  })
  .openapi('Solver')

type NameOf = (chainId: number) => string

export function renderRoute(
  { sourceChainId, destChainId, tokenA, tokenB }: Pair,
  nameOf: NameOf,
): z.output<typeof routeSchema> {
  return {
    sourceChain: nameOf(sourceChainId),
    destChain: nameOf(destChainId),
    tokenA: getAddress(tokenA),
    tokenB: getAddress(tokenB),
  }
}

export function renderBalance(
  { chainId, token, balance }: Balance,
  nameOf: NameOf,
): z.output<typeof balanceSchema> {
  return { chain: nameOf(chainId), token: getAddress(token), balance: String(balance) }
}

export function renderSolver(
  { solver, routes, balances, registeredAt, lastSeen }: SolverRegistration,
  nameOf: NameOf,
): z.output<typeof solverSchema> {
  return {
    address: getAddress(solver),
    routes: routes.map((route) => renderRoute(route, nameOf)),
    balances: balances.map((balance) => renderBalance(balance, nameOf)),
    registeredAt: registeredAt.toISOString(),
    lastSeen: lastSeen.toISOString(),
  }
}
