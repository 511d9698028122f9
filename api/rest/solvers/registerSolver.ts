import { z } from '@hono/zod-openapi'
import { getAddress, type Hex } from 'viem'
import { chainIdOf } from '../../../core/chain/names.ts'
import { registerSolverMessage } from '../../../sdk/messages/registerSolver.ts'
import {
  openPairs,
  type Route,
  readBalances,
  saveRegistration,
} from '../../../services/relayer/solvers/solverRegistration.ts'
import { listBridges } from '../../../services/store/chains/listBridges.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import type { ApiContext } from '../../http/apiEnv.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { isSignedBy } from '../../http/auth/isSignedBy.ts'
import {
  freshTimestamp,
  headerText,
  notSignedBy,
  signatureHeader,
  timestampHeader,
} from '../../http/auth/signatureHeaders.ts'
import { addressOf, type IsTrustedProxy } from '../../http/limits/clientAddress.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import { address, addressInput, count } from '../../http/valueSchemas.ts'
import { chainsToRead } from '../readContext.ts'
import type { WriteContext } from '../writeContext.ts'
import { balanceSchema, namesOf, renderBalance } from './solverSchemas.ts'

/** Routes of one solver at most. */
const MAX_ROUTES = 200

/** Each registration asks the chains for balances. */
const PACE = { perSecond: 0.5, burst: 20 }

const addressText = z
  .string()
  .refine((text) => addressInput.safeParse(text).success, 'expected an address')

const body = z
  .strictObject({
    solverAddress: addressText,
    routes: z
      .array(
        z.strictObject({
          sourceChain: z.string().min(1).max(64),
          destChain: z.string().min(1).max(64),
          tokenA: addressText,
          tokenB: addressText,
        }),
      )
      .min(1)
      .max(MAX_ROUTES),
  })
  .openapi('RegisterSolverRequest')

type Body = z.output<typeof body>

const answer = z
  .object({
    success: z.literal(true),
    solverAddress: address,
    routesCount: count,
    balances: z.array(balanceSchema),
  })
  .openapi('RegisterSolverAnswer')

const headers = z.object({
  'x-solver-signature': headerText(
    'EIP-191, by the solver, of REGISTER_SOLVER:<solverAddress>:<keccak256 of the routes>:<timestamp>, the routes as sourceChain:destChain:tokenA:tokenB in lower case, joined by commas. Not needed in compat mode.',
  ),
  'x-timestamp': timestampHeader,
})

/**
 * `POST /register-solver`: registers the pairs that a solver serves; call it again to stay listed.
 */
export function addRegisterSolver(
  app: App,
  context: WriteContext,
  isTrustedProxy: IsTrustedProxy,
): void {
  const registrations = createRateLimit('solver-registrations', PACE)
  addEndpoint(app, {
    method: 'post',
    path: '/register-solver',
    tag: 'Auctions',
    summary: 'Register the pairs a solver serves',
    description:
      'Listed within a second, for ten minutes; repeat it to stay. Send each route once. Balances are read on the chains. A registration gives no rights.',
    headers,
    body,
    answer,
    failures: [503],
    handler: async (given, c) => {
      const { reads, clientOf } = context
      const routes = given.routes.map((route) => readRoute(context, route))
      requireDistinct(routes)
      await requireSolver(c, context, given)
      registrations.require(addressOf(c, isTrustedProxy))
      const solver = given.solverAddress.toLowerCase() as Hex
      await chainsToRead(reads)
      const isOpen = openPairs(await listBridges(reads.db))
      // Others are never listed: they would only take room.
      const open = routes.filter(isOpen)
      const balances = await readBalances(clientOf, solver, open)
      await saveRegistration(reads.db, { solver, routes: open, balances })
      const nameOf = namesOf(reads.configured)
      return {
        solverAddress: getAddress(solver),
        routesCount: routes.length,
        balances: balances.map((balance) => renderBalance(balance, nameOf)),
      }
    },
  })
}

function readRoute(context: WriteContext, route: Body['routes'][number]): Route {
  const [sourceChainId, destChainId] = [route.sourceChain, route.destChain].map((name) =>
    followedId(context, name),
  ) as [number, number]
  const [tokenA, tokenB] = [route.tokenA, route.tokenB].map((token) => token.toLowerCase()) as [
    Hex,
    Hex,
  ]
  return { sourceChainId, destChainId, tokenA, tokenB }
}

/** By chain ids: a chain has several names. */
function requireDistinct(routes: readonly Route[]): void {
  const places = new Map<string, number>()
  for (const [place, { sourceChainId, destChainId, tokenA, tokenB }] of routes.entries()) {
    const key = [sourceChainId, destChainId, tokenA, tokenB].join()
    const earlier = places.get(key)
    if (earlier !== undefined) {
      const problem = { path: `routes.${place}`, message: `is the same as routes.${earlier}` }
      const words = `invalid body: ${problem.path}: ${problem.message}. Send each route once`
      throw new BadRequestError(words, 'INVALID_REQUEST', [problem])
    }
    places.set(key, place)
  }
}

function followedId({ reads: { configured } }: WriteContext, name: string): number {
  const id = configured.find((chain) => chain.name === name)?.chainId ?? chainIdOf(name)
  if (id !== null && configured.some(({ chainId }) => chainId === id)) return id
  throw new BadRequestError('a route’s chain is not followed here', 'UNSUPPORTED_CHAIN', {
    chain: name,
  })
}

async function requireSolver(
  c: ApiContext,
  { authMode, now }: WriteContext,
  { solverAddress, routes }: Body,
): Promise<void> {
  const signature = signatureHeader(c, 'x-solver-signature')
  if (signature === null) {
    if (authMode === 'compat') return
    throw new BadRequestError('X-Solver-Signature is required', 'SIGNATURE_REQUIRED')
  }
  const timestamp = freshTimestamp(c, now())
  const message = registerSolverMessage(solverAddress, routes, timestamp)
  // A contract can't be asked here: it may live on one chain of several.
  const isSigned = await isSignedBy(
    { message, signature, address: solverAddress.toLowerCase() as Hex },
    null,
  )
  if (!isSigned) throw notSignedBy('the solver’s')
}
