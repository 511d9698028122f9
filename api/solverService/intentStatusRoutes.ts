import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { findChainId, findChainName } from '../../core/chain/chainNames.ts'
import type { NetworkStatus } from '../../services/solver/readIntentStatus.ts'
import type { SolverService } from '../../services/solver/solverServiceInterface.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { NotFoundError, UnavailableError } from '../http/apiError.ts'
import { address, intentIdInput } from '../http/valueSchemas.ts'

const networkSchema = z.object({
  found: z.boolean(),
  status: z.string().nullable(),
  winningSolver: address.nullable(),
  deposited: z.boolean(),
  solved: z.boolean(),
  completed: z.boolean(),
})

/** `GET /intent-status/{intentId}` and `…/{network}`, read from the chains. */
export function addIntentStatusRoutes(app: App, solver: SolverService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/intent-status/{intentId}',
    tag: 'Solver',
    summary: 'An intent on every network',
    params: z.object({ intentId: intentIdInput }),
    answer: success({
      intentId: z.string(),
      networks: z.record(z.string(), networkSchema),
    }),
    failures: [503],
    handler: async ({ intentId }) => {
      const networks = await readStatus(solver, intentId)
      const rendered = Object.entries(networks).map(([name, status]) => [name, render(status)])
      return {
        intentId: String(intentId),
        networks: Object.fromEntries(rendered),
      }
    },
  })
  addEndpoint(app, {
    method: 'get',
    path: '/intent-status/{intentId}/{network}',
    tag: 'Solver',
    summary: 'An intent on one network',
    params: z.object({ intentId: intentIdInput, network: z.string().max(64) }),
    answer: networkSchema.extend({
      success: z.literal(true),
      intentId: z.string(),
      network: z.string(),
    }),
    failures: [404, 503],
    handler: async ({ intentId, network }) => {
      const networks = await readStatus(solver, intentId)
      const name = findChainName(findChainId(network) ?? 0) ?? network
      const status = networks[name] ?? networks[network]
      if (!status)
        throw new NotFoundError(
          'this solver does not serve that network: leave it out to see those it serves',
          'UNSUPPORTED_CHAIN',
        )
      return {
        intentId: String(intentId),
        network: name,
        ...render(status),
      }
    },
  })
}

async function readStatus(solver: SolverService, intentId: bigint) {
  try {
    return await solver.intentStatus(intentId)
  } catch {
    throw new UnavailableError('the RPC nodes of a chain do not answer', 'RPC_UNREACHABLE', 5)
  }
}

function render(status: NetworkStatus): z.infer<typeof networkSchema> {
  const { winningSolver } = status
  return { ...status, winningSolver: winningSolver && getAddress(winningSolver) }
}
