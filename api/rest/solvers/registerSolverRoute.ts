import { z } from '@hono/zod-openapi'
import { getAddress, type Hex } from 'viem'
import { findChainId } from '../../../core/chain/chainNames.ts'
import { registerSolverMessage } from '../../../sdk/messages/registerSolverMessage.ts'
import { findRoutesOpenOnBridges } from '../../../services/relayer/solvers/findRoutesOpenOnBridges.ts'
import { readSolverBalances } from '../../../services/relayer/solvers/readSolverBalances.ts'
import { renewRegistration } from '../../../services/relayer/solvers/solverRegistration.ts'
import { listBridges } from '../../../services/store/chains/listBridges.ts'
import { type Pair, pairPlace } from '../../../services/store/pairs/pairFilter.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { isSignedBy } from '../../http/auth/isSignedBy.ts'
import {
  freshTimestamp,
  headerText,
  notSignedBy,
  signatureHeader,
  timestampHeader,
} from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import { addressOf, type IsTrustedProxy, writerOf } from '../../http/limits/clientAddress.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import { address, addressInput, count } from '../../http/valueSchemas.ts'
import { createChainNamer } from '../chainNamer.ts'
import { chainsToRead } from '../readContext.ts'
import type { WriteContext } from '../writeContext.ts'
import { balanceSchema, renderBalance } from './solverSchemas.ts'

/** Maximum number of a solver's routes. */
const MAX_ROUTES = 200

/** Per client, since each registration reads balances on the chains. */
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

const answer = success({
  solverAddress: address,
  routesCount: count,
  balances: z.array(balanceSchema),
}).openapi('RegisterSolverAnswer')

const headers = z.object({
  'x-solver-signature': headerText(
    'The solver’s EIP-191 signature of REGISTER_SOLVER:<solverAddress>:<keccak256 of the routes>:<timestamp>, with the routes as sourceChain:destChain:tokenA:tokenB in lower case, joined by commas. Optional if all of the routes’ chains are in compat mode and the solver’s live registration isn’t signed.',
  ),
  'x-timestamp': timestampHeader,
})

/** `POST /register-solver`: registers the pairs that a solver serves. */
export function addRegisterSolverRoute(
  app: App,
  context: WriteContext,
  isTrustedProxy: IsTrustedProxy,
): void {
  const registrations = createRateLimit('solver-registrations', PACE)
  addEndpoint(app, {
    method: 'post',
    path: '/register-solver',
    tag: 'Auctions',
    summary: 'Register the pairs that a solver serves',
    description:
      'The solver is listed within a second, for ten minutes; repeat the request to stay listed. Send each route once. Balances are read on the chains. A registration confers no rights.',
    headers,
    body,
    answer,
    failures: [503],
    handler: async (request, c) => {
      const { reads, clientOf } = context
      const routes = request.routes.map((route) => readRoute(context, route))
      requireDistinct(routes)
      const signedAt = await requireSolver(c, context, request, routes)
      registrations.require(writerOf(addressOf(c, isTrustedProxy)))
      const solver = request.solverAddress.toLowerCase() as Hex
      await chainsToRead(reads)
      const isOpen = findRoutesOpenOnBridges(await listBridges(reads.db))
      // Ask only listed tokens for balances: any other address may be anything. Keep every route, though: a bridge
      // may list it later, or not be indexed yet.
      const balances = await readSolverBalances(clientOf, solver, routes.filter(isOpen))
      const isSaved = await renewRegistration(reads.db, { solver, routes, balances, signedAt })
      if (!isSaved) throw signatureNeeded(signedAt)
      const nameOf = createChainNamer(reads.configured)
      return {
        solverAddress: getAddress(solver),
        routesCount: routes.length,
        balances: balances.map((balance) => renderBalance(balance, nameOf)),
      }
    },
  })
}

function readRoute(context: WriteContext, route: Body['routes'][number]): Pair {
  return {
    sourceChainId: configuredId(context, route.sourceChain),
    destChainId: configuredId(context, route.destChain),
    tokenA: route.tokenA.toLowerCase() as Hex,
    tokenB: route.tokenB.toLowerCase() as Hex,
  }
}

/** Refuses duplicates, also under another of a chain's names. */
function requireDistinct(routes: readonly Pair[]): void {
  const positions = new Map<string, number>()
  for (const [position, route] of routes.entries()) {
    const key = pairPlace(route).join()
    const earlier = positions.get(key)
    if (earlier !== undefined) {
      const problem = { path: `routes.${position}`, message: `is the same as routes.${earlier}` }
      const words = `invalid body: ${problem.path}: ${problem.message}. Send each route once`
      throw new BadRequestError(words, 'INVALID_REQUEST', [problem])
    }
    positions.set(key, position)
  }
}

function configuredId({ reads: { configured } }: WriteContext, name: string): number {
  const id = configured.find((chain) => chain.name === name)?.chainId ?? findChainId(name)
  if (id !== null && configured.some(({ chainId }) => chainId === id)) return id
  const words = 'a route’s chain is not followed here: GET /chains lists those that are'
  throw new BadRequestError(words, 'UNSUPPORTED_CHAIN', { chain: name })
}

function signatureNeeded(signedAt: number | null): BadRequestError {
  return signedAt === null
    ? new BadRequestError(
        'X-Solver-Signature is required: this solver signed its live registration',
        'SIGNATURE_REQUIRED',
      )
    : new BadRequestError(
        'this solver has signed a later registration: sign again with a later timestamp',
        'STALE_TIMESTAMP',
      )
}

/**
 * Checks the solver's signature, if there is one.
 *
 * @returns the timestamp it signed; null without a signature, which suffices if every chain is in compat mode
 */
async function requireSolver(
  c: ApiContext,
  { bundles: { modeOn }, now }: WriteContext,
  { solverAddress, routes: named }: Body,
  routes: readonly Pair[],
): Promise<number | null> {
  const signature = signatureHeader(c, 'x-solver-signature')
  if (signature === null) {
    const chainIds = routes.flatMap(({ sourceChainId, destChainId }) => [
      sourceChainId,
      destChainId,
    ])
    if (chainIds.every((chainId) => modeOn(chainId) === 'compat')) return null
    throw new BadRequestError(
      'X-Solver-Signature is required: a chain of the routes is in strict mode',
      'SIGNATURE_REQUIRED',
    )
  }
  const timestamp = freshTimestamp(c, now())
  const message = registerSolverMessage(solverAddress, named, timestamp)
  // Contract signatures aren't supported here: the contract's chain is unknown.
  const isSigned = await isSignedBy(
    { message, signature, address: solverAddress.toLowerCase() as Hex },
    null,
  )
  if (!isSigned) throw notSignedBy('the solver’s', message)
  return timestamp
}
