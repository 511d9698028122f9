import { z } from '@hono/zod-openapi'
import {
  liveRegistrations,
  openPairs,
  type Route,
  type SolverRegistration,
} from '../../../services/relayer/solvers/solverRegistration.ts'
import { listBridges } from '../../../services/store/chains/listBridges.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { conditionalResponse, type Rendered, render } from '../../http/conditionalResponse.ts'
import { addressInput, chainInput } from '../../http/valueSchemas.ts'
import { chainsToRead } from '../readContext.ts'
import type { WriteContext } from '../writeContext.ts'
import { namesOf, renderRoute, renderSolver, routeSchema, solverSchema } from './solverSchemas.ts'

/** Most solvers in one answer, in the order of `liveRegistrations`. `routes` counts the others too. */
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
    origin: chainInput.optional().openapi({ description: 'The same as sourceChain.' }),
    originAsset: addressInput.optional().openapi({ description: 'The same as tokenA.' }),
  })
  .transform(({ origin, originAsset, ...filter }) => ({
    ...filter,
    sourceChain: oneOf(filter.sourceChain, origin),
    tokenA: oneOf(filter.tokenA, originAsset),
  }))

type Filter = z.output<typeof body>

const answer = z
  .object({
    success: z.literal(true),
    routes: z.array(routeSchema),
    solvers: z.array(solverSchema),
  })
  .openapi('Routes')

/** `POST` and `GET /get-routes`: the pairs on which an intent finds a solver now. */
export function addGetRoutes(app: App, context: WriteContext): void {
  const common = {
    path: '/get-routes',
    tag: 'Auctions',
    summary: 'Pairs on which an intent can be created and a solver is live',
    description: `A solver is live for ten minutes after it last registered. Combine filters as you like. Up to ${MAX_SOLVERS} solvers are listed, those with a stake first, by turns the largest stakes and the most settlements; routes includes the pairs of the others.`,
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
      conditionalResponse(await readRoutes(context, filter), undefined, 'no-cache'),
  })
}

/** Answers by filter, of the reading that they were made from. */
const RENDERED = new WeakMap<readonly SolverRegistration[], Map<string, Promise<Rendered>>>()

/** Filters whose answers are kept, of one reading. */
const MAX_RENDERED = 30

async function readRoutes({ reads }: WriteContext, filter: Filter): Promise<Rendered> {
  await chainsToRead(reads)
  const registrations = await liveRegistrations(reads.db)
  const filters = JSON.stringify([
    filter.sourceChain,
    filter.destChain,
    filter.tokenA,
    filter.tokenB,
  ])
  const known = RENDERED.get(registrations) ?? new Map<string, Promise<Rendered>>()
  RENDERED.set(registrations, known)
  const rendered = known.get(filters) ?? renderRoutes(reads, registrations, filter)
  if (known.size < MAX_RENDERED) known.set(filters, rendered)
  return rendered
}

async function renderRoutes(
  reads: WriteContext['reads'],
  registrations: readonly SolverRegistration[],
  filter: Filter,
): Promise<Rendered> {
  const isOpen = openPairs(await listBridges(reads.db))
  const followed = new Set(reads.configured.map(({ chainId }) => chainId))
  const isServed = (route: Route) =>
    followed.has(route.sourceChainId) &&
    followed.has(route.destChainId) &&
    isOpen(route) &&
    matches(route, filter)
  const solvers = registrations.flatMap((solver) => {
    const routes = solver.routes.filter(isServed)
    return routes.length > 0 ? [{ ...solver, routes }] : []
  })
  const nameOf = namesOf(reads.configured)
  return render({
    success: true,
    routes: distinctRoutes(solvers).map((route) => renderRoute(route, nameOf)),
    solvers: solvers.slice(0, MAX_SOLVERS).map((solver) => renderSolver(solver, nameOf)),
  })
}

function matches(route: Route, { sourceChain, destChain, tokenA, tokenB }: Filter): boolean {
  return (
    (sourceChain === undefined || route.sourceChainId === sourceChain) &&
    (destChain === undefined || route.destChainId === destChain) &&
    (tokenA === undefined || route.tokenA === tokenA) &&
    (tokenB === undefined || route.tokenB === tokenB)
  )
}

function distinctRoutes(solvers: readonly Pick<SolverRegistration, 'routes'>[]): Route[] {
  const routes = new Map<string, Route>()
  for (const route of solvers.flatMap((solver) => solver.routes)) {
    const { sourceChainId, destChainId, tokenA, tokenB } = route
    routes.set([sourceChainId, destChainId, tokenA, tokenB].join(), route)
  }
  return [...routes.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, r]) => r)
}

function oneOf<Value>(value: Value | undefined, alias: Value | undefined): Value | undefined {
  if (value !== undefined && alias !== undefined && value !== alias) {
    throw new BadRequestError('a filter and its alias differ')
  }
  return value ?? alias
}
