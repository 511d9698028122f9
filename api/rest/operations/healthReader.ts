import { z } from '@hono/zod-openapi'
import { readPushHealth } from '../../../services/push/pushHealth.ts'
import { readTransfersHealth } from '../../../services/relayer/recipients/safeTransfers/readTransfersHealth.ts'
import { type ChainsNow, chainsOrNone } from '../../../services/store/chains/chainStateCache.ts'
import {
  type DatabaseProblem,
  findDatabaseProblem,
} from '../../../services/store/database/databaseProblem.ts'
import { readClockProblem } from '../../../services/store/database/readClockProblem.ts'
import { toIsoTimeOrNull } from '../../http/isoTime.ts'
import { count } from '../../http/valueSchemas.ts'
import { createChainNamer } from '../chainNamer.ts'
import type { ReadContext } from '../readContext.ts'
import { chainHealthSchema, chainsHealth } from './chainHealth.ts'
import { readRelayerHealth, relayerHealthSchema } from './relayerHealth.ts'
import type { RpcHeads } from './rpcHeads.ts'

/** Senders, solvers and recipients sign the time. */
const WRONG_CLOCK_HARM =
  'this API refuses requests whose signed time is more than five minutes off its own'

const transfersSchema = z
  .object({
    chain: z.string(),
    status: z.enum(['ok', 'behind', 'failing', 'stopped']),
    position: count.nullable().describe('The last block that was read.'),
    lagSeconds: count
      .nullable()
      .describe('Time since it was last up to date. Null if it never was.'),
    problem: z.string().nullable().openapi({ example: 'RPC_UNREACHABLE' }),
  })
  .openapi('TransfersHealth')

function problemSchema(code: string) {
  return z.object({
    code: z.string().openapi({ example: code }),
    cause: z.string(),
    fix: z.string(),
  })
}

const pushSchema = z
  .object({
    status: z.enum(['ok', 'degraded', 'stopped']),
    lagSeconds: count.describe('Age of the oldest change that isn’t in the journal yet.'),
    waitingWebhooks: count.describe('Webhooks with a due delivery.'),
    overdueSeconds: count.describe('How long the oldest of them has waited.'),
    problems: z.array(problemSchema('PUSH_STOPPED')),
  })
  .openapi('PushHealth')

const pricesSchema = z
  .object({
    status: z.enum(['ok', 'stale', 'failing']),
    shown: count.describe('Prices that are fresh enough to show.'),
    known: count,
    asOf: z.string().nullable().describe('Time of the newest price shown.'),
    problem: z.string().nullable(),
  })
  .openapi('PricesHealth')

export const healthSchema = z
  .object({
    status: z.enum(['ok', 'degraded']),
    service: z.string(),
    timestamp: z.string(),
    networks: z.array(z.string()),
    chainInfo: z.record(z.string(), z.string()),
    chains: z.array(chainHealthSchema),
    database: z
      .enum(['ok', 'slow', 'unreachable'])
      .describe(
        '`slow`: a query took too long, or found no free connection. `unreachable`: also while only some queries fail, as on a full disk.',
      ),
    problems: z
      .array(problemSchema('CLOCKS_DIFFER'))
      .describe('Problems of this API process itself.'),
    relayer: relayerHealthSchema.optional(),
    push: pushSchema
      .optional()
      .describe('The journal of events, and webhooks. Absent if the push role never ran.'),
    prices: pricesSchema
      .optional()
      .describe(
        'USD prices. Absent if none are configured. They never make the service `degraded`.',
      ),
    transfers: z
      .array(transfersSchema)
      .optional()
      .describe('How transfers of recipients’ Safes are followed.'),
  })
  .openapi('Health')

export type Health = z.infer<typeof healthSchema>

/** Reads what `GET /health` answers; `status` is `degraded` if anything is wrong. */
export function createHealthReader(
  reads: ReadContext,
  rpc: RpcHeads,
  expectsReactions: boolean,
): () => Promise<Health> {
  return async () => {
    const failures = new Set<DatabaseProblem | null>()
    // What can't be read is absent from the answer.
    const orNull = <Read>(reading: Promise<Read>) =>
      reading.catch((error: unknown) => {
        failures.add(findDatabaseProblem(error))
        return null
      })
    // At once: one after another, reads of a slow database would take longer than Prometheus waits.
    const [now, relayer, transfers, push, clock] = await Promise.all([
      orNull(chainsOrNone(reads.chains)),
      expectsReactions ? orNull(readRelayerHealth(reads)) : undefined,
      expectsReactions ? orNull(transfersHealth(reads)) : [],
      orNull(readPushHealth(reads.db)),
      orNull(readClockProblem(reads.db, 'this API’s', WRONG_CLOCK_HARM)),
    ])
    const chains = chainsHealth(reads.configured, now, rpc)
    const prices = reads.prices.health()
    const problems = clock === null ? [] : [clock]
    const database = databaseState(now, failures)
    const healthy =
      database === 'ok' &&
      problems.length === 0 &&
      (push === null || push.status === 'ok') &&
      chains.every(({ status }) => status === 'ok') &&
      (relayer === undefined || relayer?.status === 'ok') &&
      (transfers?.every(({ status }) => status === 'ok') ?? false)
    return {
      status: healthy ? 'ok' : 'degraded',
      service: 'bridge-relayer',
      timestamp: new Date().toISOString(),
      networks: reads.configured.map(({ name }) => name),
      chainInfo: Object.fromEntries(
        reads.configured.map(({ name, chainId }) => [name, String(chainId)]),
      ),
      chains,
      database,
      problems,
      ...(relayer && { relayer }),
      ...(push && { push }),
      ...(prices && {
        prices: { ...prices, asOf: toIsoTimeOrNull(prices.asOf) },
      }),
      ...(expectsReactions && transfers && { transfers }),
    }
  }
}

function databaseState(
  now: ChainsNow | null,
  failures: ReadonlySet<DatabaseProblem | null>,
): Health['database'] {
  if (failures.has('unreachable')) return 'unreachable'
  if (failures.has('timeout')) return 'slow'
  return now === null ? 'unreachable' : 'ok'
}

async function transfersHealth({
  db,
  configured,
}: ReadContext): Promise<z.infer<typeof transfersSchema>[]> {
  const ids = configured.map(({ chainId }) => chainId)
  const nameOf = createChainNamer(configured)
  return (await readTransfersHealth(db, ids)).map(
    ({ chainId, status, position, lagSeconds, problem }) => {
      return { chain: nameOf(chainId), status, position, lagSeconds, problem }
    },
  )
}
