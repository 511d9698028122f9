import { z } from '@hono/zod-openapi'
import { VALUE_SCALE } from '../../services/solver/policy/policy.ts'
import type { SolverService } from '../../services/solver/solverServiceInterface.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { address, amount, count, text } from '../http/valueSchemas.ts'

const answer = success({
  running: z.boolean().describe('Whether the solver bids. Either way, it meets its obligations.'),
  solverAddress: address,
  networks: z.record(
    z.string(),
    z.object({
      chainId: count,
      connected: z.boolean(),
      blockNumber: count.nullable(),
      bridgeAddress: address,
    }),
  ),
  balances: z.array(
    z.object({ chain: z.string(), token: address, symbol: z.string(), balance: amount }),
  ),
  activeIntents: count,
  stats: z.object({
    active: count,
    settled: count,
    lost: count.describe('Won by another solver or by nobody.'),
    slashed: count.describe('Not deposited or not delivered in time: the bond is forfeited.'),
    cancelled: count,
    exposure: text.describe(
      'Exposure: value bid, locked, or delivered and unsettled, in the unit of the policy’s prices.',
    ),
    lastRoundAt: z.string().nullable(),
  }),
})

/** `GET /status`. */
export function addSolverStatusRoute(app: App, solver: SolverService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/status',
    tag: 'Solver',
    summary: 'Balances and activity',
    answer,
    handler: async () => {
      const { networks, balances, stats, ...status } = await solver.status()
      return {
        ...status,
        networks: Object.fromEntries(
          Object.entries(networks).map(([name, { blockNumber, ...network }]) => [
            name,
            { ...network, blockNumber: blockNumber === null ? null : Number(blockNumber) },
          ]),
        ),
        balances: balances.map((entry) => ({ ...entry, balance: String(entry.balance) })),
        stats: {
          ...stats,
          exposure: decimal(stats.exposure),
          lastRoundAt: stats.lastRoundAt?.toISOString() ?? null,
        },
      }
    },
  })
}

/** Millionths as a decimal. */
function decimal(millionths: bigint): string {
  const part = String(millionths % VALUE_SCALE).padStart(6, '0')
  return `${millionths / VALUE_SCALE}.${part}`
}

const healthAnswer = z.object({
  status: z.enum(['ok', 'degraded']),
  service: z.literal('bridge-solver'),
  timestamp: z.string(),
})

/** `GET /health`: `degraded` when no round has read every chain for 30 seconds. */
export function addSolverHealthRoute(app: App, solver: SolverService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/health',
    tag: 'Solver',
    summary: 'Liveness',
    answer: healthAnswer,
    handler: async () => ({
      status: solver.isAlive() ? 'ok' : 'degraded',
      service: 'bridge-solver',
      timestamp: new Date().toISOString(),
    }),
  })
}
