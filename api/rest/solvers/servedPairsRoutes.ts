import { z } from '@hono/zod-openapi'
import { findRoutesOpenOnBridges } from '../../../services/relayer/solvers/findRoutesOpenOnBridges.ts'
import { listLiveSolvers } from '../../../services/relayer/solvers/listLiveSolvers.ts'
import type { SolverRegistration } from '../../../services/relayer/solvers/solverRegistration.ts'
import { listBridges } from '../../../services/store/chains/listBridges.ts'
import { type Pair, pairPlace } from '../../../services/store/pairs/pairFilter.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { createConditionalResponse, type Rendered, render } from '../../http/conditionalResponse.ts'
import { addressInput, chainInput } from '../../http/valueSchemas.ts'
import { createChainNamer } from '../chainNamer.ts'
import { chainsToRead } from '../readContext.ts'
import type { WriteContext } from '../writeContext.ts'
import { renderRoute, renderSolver, routeSchema, solverSchema } from './solverSchemas.ts'

/** Maximum number of solvers in an answer. `routes` includes those of all solvers. */
const MAX_SOLVERS = 50

const filterFields = {
  sourceChain: chainInput.optional(),
  destChain: chainInput.optional(),
  tokenA: addressInput.optional(),
  tokenB: addressInput.optional(),
}

const body = z.strictObject(filterFields).openapi('RoutesRequest')

const query = z
  .strictObject({
    ...filterFields,
    origin: chainInput.optional().describe('Alias of sourceChain.'),
    originAsset: addressInput.optional().describe('Alias of tokenA.'),
  })
  .transform(({ origin, originAsset, ...filter }) => ({
    ...filter,
    sourceChain: withAlias(filter.sourceChain, origin),
    tokenA: withAlias(filter.tokenA, originAsset),
  }))

type Filter = z.output<typeof body>

const answer = success({
  routes: z.array(routeSchema),
  solvers: z.array(solverSchema),
}).openapi('Routes')

/** `POST` and `GET /get-routes`: the pairs that a live solver serves. */
export function addServedPairsRoutes(app: App, context: WriteContext): void {
  const common = {
    path: '/get-routes',
    tag: 'Auctions',
    summary: 'Pairs with a live solver',
    description: `A solver is live for ten minutes after it last registered. Filters can be combined. The answer lists up to ${MAX_SOLVERS} solvers, those with a stake first, alternating between the largest stakes of each token and the most settlements. It includes the routes of all live solvers.`,
    answer,
    failures: [503 as const],
  }
  addEndpoint(app, {
    ...common,
    method: 'get',
    query,
    isConditional: true,
    cacheControl: 'no-cache',
    handler: (filter) => readRoutes(context, filter),
  })
  addEndpoint(app, {
    ...common,
    method: 'post',
    body,
    isBodyOptional: true,
    handler: async (filter) =>
      createConditionalResponse(await readRoutes(context, filter), undefined, 'no-cache'),
  })
}

/** Answers by filter, for each list of live solvers. */
const RENDERED = new WeakMap<readonly SolverRegistration[], Map<string, Promise<Rendered>>>()

/** Maximum number of answers cached for each of these. */
const MAX_RENDERED = 30

async function readRoutes({ reads }: WriteContext, filter: Filter): Promise<Rendered> {
  await chainsToRead(reads)
  const registrations = await listLiveSolvers(reads.db)
  const { sourceChain, destChain, tokenA, tokenB } = filter
  const key = JSON.stringify([sourceChain, destChain, tokenA, tokenB])
  const cache = RENDERED.get(registrations) ?? new Map<string, Promise<Rendered>>()
  RENDERED.set(registrations, cache)
  const rendered = cache.get(key) ?? renderRoutes(reads, registrations, filter)
  if (cache.size < MAX_RENDERED) cache.set(key, rendered)
  return rendered
}

async function renderRoutes(
  reads: WriteContext['reads'],
  registrations: readonly SolverRegistration[],
  filter: Filter,
): Promise<Rendered> {
  const isOpen = findRoutesOpenOnBridges(await listBridges(reads.db))
  const followed = new Set(reads.configured.map(({ chainId }) => chainId))
  const isServed = (route: Pair) =>
    followed.has(route.sourceChainId) &&
    followed.has(route.destChainId) &&
    isOpen(route) &&
    matches(route, filter)
  const solvers = registrations.flatMap((solver) => {
    const routes = solver.routes.filter(isServed)
    return routes.length > 0 ? [{ ...solver, routes }] : []
  })
  const nameOf = createChainNamer(reads.configured)
  return render({
    success: true,
    routes: distinctRoutes(solvers).map((route) => renderRoute(route, nameOf)),
    solvers: solvers.slice(0, MAX_SOLVERS).map((solver) => renderSolver(solver, nameOf)),
  })
}

function matches(route: Pair, { sourceChain, destChain, tokenA, tokenB }: Filter): boolean {
  return (
    (sourceChain === undefined || route.sourceChainId === sourceChain) &&
    (destChain === undefined || route.destChainId === destChain) &&
    (tokenA === undefined || route.tokenA === tokenA) &&
    (tokenB === undefined || route.tokenB === tokenB)
  )
}

function distinctRoutes(solvers: readonly Pick<SolverRegistration, 'routes'>[]): Pair[] {
  const routes = new Map<string, Pair>()
  for (const route of solvers.flatMap((solver) => solver.routes)) {
    routes.set(pairPlace(route).join(), route)
  }
  return [...routes.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, r]) => r)
}

function withAlias<Value>(value: Value | undefined, alias: Value | undefined): Value | undefined {
  if (value !== undefined && alias !== undefined && value !== alias) {
    throw new BadRequestError('a filter and its alias differ')
  }
  return value ?? alias
}
