import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { readPushHealth } from '../../../services/push/pushHealth.ts'
import { readTransfersHealth } from '../../../services/relayer/recipients/safeTransfers/readTransfersHealth.ts'
import { readRefundBudget } from '../../../services/relayer/reconciler/perform/refundGas.ts'
import {
  readReactionsHealth,
  readUnpaidGasShares,
} from '../../../services/relayer/reconciler/readReactionsHealth.ts'
import { type ChainsNow, chainsOrNone } from '../../../services/store/chains/chainStateCache.ts'
import { readChainStates } from '../../../services/store/chains/readChainStates.ts'
import {
  type DatabaseProblem,
  findDatabaseProblem,
} from '../../../services/store/database/databaseProblem.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { readClockProblem } from '../../../services/store/database/readClockProblem.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { toIsoTimeOrNull } from '../../http/isoTime.ts'
import { count } from '../../http/valueSchemas.ts'
import { createChainNamer } from '../chainNamer.ts'
import type { ReadContext } from '../readContext.ts'
import type { RpcHead, RpcHeads } from './rpcHeads.ts'

/** Seconds behind its chain above which an index counts as lagging. */
const LAGGING_AFTER = 30

/** Senders, solvers and recipients sign the time. */
const WRONG_CLOCK_HARM =
  'this API refuses requests whose signed time is more than five minutes off its own'

const CHAIN_STATUSES = [
  'ok',
  'lagging',
  'stalled',
  'resuming',
  'backfilling',
  'rpc_unreachable',
  'unknown',
] as const

export const chainHealthSchema = z
  .object({
    name: z.string(),
    chainId: z.string(),
    head: count.nullable().openapi({ description: "Head block, according to the chain's nodes." }),
    indexed: count.nullable().openapi({ description: 'Last block in the index.' }),
    lagSeconds: count.nullable().openapi({
      description: 'Block time of the head minus that of the last indexed block.',
    }),
    status: z.enum(CHAIN_STATUSES),
    progress: z
      .number()
      .optional()
      .openapi({ description: 'Share of the first backfill that is done.' }),
  })
  .openapi('ChainHealth')

const relayerSchema = z
  .object({
    status: z.enum(['ok', 'degraded', 'stopped']),
    enclave: z.enum(['ok', 'unreachable', 'unknown']),
    address: z.string().nullable().openapi({ description: 'The account that pays gas.' }),
    accounts: z.array(
      z.object({
        chain: z.string(),
        balance: z.string().nullable().openapi({ description: 'Wei.' }),
        waiting: count.openapi({ description: 'Transactions that its balance can’t pay for.' }),
        problem: z.string().nullable().openapi({ example: 'OUT_OF_GAS' }),
      }),
    ),
    problems: z
      .array(
        z.object({
          chain: z.string(),
          code: z.string().openapi({ example: 'NO_GAS' }),
          cause: z.string(),
          fix: z.string(),
        }),
      )
      .openapi({
        description: 'Problems that make the service `degraded`.',
      }),
    refundGas: z
      .array(
        z.object({
          chain: z.string(),
          taken: z.string().openapi({ description: 'Gas of the last 24 hours.' }),
          limit: z.string().openapi({ description: '`RELAYER_UNPAID_GAS`.' }),
          isSpent: z.boolean(),
          renewsAt: z
            .string()
            .nullable()
            .openapi({ description: 'When there is room again. Null unless it is spent.' }),
        }),
      )
      .openapi({
        description:
          'Gas for refunds of intents that nobody bid on. While it is spent, they wait, which doesn’t make the service `degraded`.',
      }),
    oldestSeconds: count
      .nullable()
      .openapi({ description: 'How long the oldest overdue task has waited.' }),
  })
  .openapi('RelayerHealth')

const transfersSchema = z
  .object({
    chain: z.string(),
    status: z.enum(['ok', 'behind', 'failing', 'stopped']),
    position: count.nullable().openapi({ description: 'The last block that was read.' }),
    lagSeconds: count.nullable().openapi({
      description: 'Time since it was last up to date. Null if it never was.',
    }),
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
    lagSeconds: count.openapi({
      description: 'Age of the oldest change that isn’t in the journal yet.',
    }),
    waitingWebhooks: count.openapi({ description: 'Webhooks with a due delivery.' }),
    overdueSeconds: count.openapi({ description: 'How long the oldest of them has waited.' }),
    problems: z.array(problemSchema('PUSH_STOPPED')),
  })
  .openapi('PushHealth')

const pricesSchema = z
  .object({
    status: z.enum(['ok', 'stale', 'failing']),
    shown: count.openapi({ description: 'Prices that are fresh enough to show.' }),
    known: count,
    asOf: z.string().nullable().openapi({ description: 'Time of the newest price shown.' }),
    problem: z.string().nullable(),
  })
  .openapi('PricesHealth')

const answer = z
  .object({
    status: z.enum(['ok', 'degraded']),
    service: z.string(),
    timestamp: z.string(),
    networks: z.array(z.string()),
    chainInfo: z.record(z.string(), z.string()),
    chains: z.array(chainHealthSchema),
    database: z.enum(['ok', 'slow', 'unreachable']).openapi({
      description:
        '`slow`: a query took too long, or found no free connection. Also `unreachable` while only some queries fail, as on a full disk.',
    }),
    problems: z
      .array(problemSchema('CLOCKS_DIFFER'))
      .openapi({ description: 'Problems of this API process itself.' }),
    relayer: relayerSchema.optional(),
    push: pushSchema.optional().openapi({
      description: 'The journal of events, and webhooks. Absent if the push role never ran.',
    }),
    prices: pricesSchema.optional().openapi({
      description:
        'USD prices. Absent if none are configured. They never make the service `degraded`.',
    }),
    transfers: z
      .array(transfersSchema)
      .optional()
      .openapi({ description: 'How transfers of recipients’ Safes are followed.' }),
  })
  .openapi('Health')

type ChainHealth = z.infer<typeof chainHealthSchema>

/** `GET /health`: 200 while the process lives; `status` is `degraded` if anything is wrong. */
export function addHealthRoute(
  app: App,
  reads: ReadContext,
  rpc: RpcHeads,
  expectsReactions: boolean,
): void {
  addEndpoint(app, {
    method: 'get',
    path: '/health',
    tag: 'Service',
    summary: 'The state of the service and each chain',
    answer,
    handler: async () => {
      const failures = new Set<DatabaseProblem | null>()
      // What can't be read is absent from the answer.
      const orNull = <Read>(reading: Promise<Read>) =>
        reading.catch((error: unknown) => {
          failures.add(findDatabaseProblem(error))
          return null
        })
      const now = await orNull(chainsOrNone(reads.chains))
      const chains = chainsHealth(reads.configured, now, rpc)
      const relayer = expectsReactions ? await orNull(relayerHealth(reads)) : undefined
      const transfers = expectsReactions ? await orNull(transfersHealth(reads)) : []
      const push = await orNull(readPushHealth(reads.db))
      const prices = reads.prices.health()
      const clock = await orNull(readClockProblem(reads.db, 'this API’s', WRONG_CLOCK_HARM))
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
    },
  })
}

function databaseState(
  now: ChainsNow | null,
  failures: ReadonlySet<DatabaseProblem | null>,
): z.infer<typeof answer>['database'] {
  if (failures.has('unreachable')) return 'unreachable'
  if (failures.has('timeout')) return 'slow'
  return now === null ? 'unreachable' : 'ok'
}

async function relayerHealth({
  db,
  configured,
}: ReadContext): Promise<z.infer<typeof relayerSchema>> {
  const [{ relayer, accounts, problems, ...health }, refundGas] = await Promise.all([
    readReactionsHealth(db),
    readRefundBudgets(db, configured),
  ])
  const nameOf = createChainNamer(configured)
  const onChain = <Fact extends { chainId: number }>({ chainId, ...fact }: Fact) => ({
    chain: nameOf(chainId),
    ...fact,
  })
  return {
    ...health,
    address: relayer && getAddress(relayer),
    accounts: accounts.map(onChain),
    problems: problems.map(onChain),
    refundGas: refundGas.map(onChain),
  }
}

/** Each chain's gas for refunds, as far as the reactions have reported its limit. */
async function readRefundBudgets(db: Db, configured: readonly ChainConfig[]) {
  const shares = await readUnpaidGasShares(db)
  const budgets = configured.map(async ({ chainId }) => {
    const { cap, limit } = shares.get(chainId) ?? {}
    if (cap === undefined || limit === undefined) return []
    const { taken, isSpent, renewsAt } = await readRefundBudget(db, chainId, { cap, limit })
    const renewal = toIsoTimeOrNull(renewsAt && Math.ceil(renewsAt.getTime() / 1_000))
    return [{ chainId, taken: String(taken), limit: String(limit), isSpent, renewsAt: renewal }]
  })
  return (await Promise.all(budgets)).flat()
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

const readyAnswer = z.object({
  success: z.literal(true),
  ready: z.literal(true),
  chains: z.record(z.string(), z.enum(['ready', 'backfilling'])),
})

/** `GET /ready`: 503 until the database can be reached and a chain is indexed. */
export function addReadyRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/ready',
    tag: 'Service',
    summary: 'Whether the service can answer requests',
    answer: readyAnswer,
    failures: [503],
    handler: async () => {
      const states = await readChainStates(reads.db)
      const ready = new Set(states.ready.map(({ chainId }) => chainId))
      if (ready.size === 0) {
        throw new UnavailableError('no chain is indexed yet', 'INDEX_NOT_READY', 5)
      }
      const chains = reads.configured.map(({ name, chainId }) => [
        name,
        ready.has(chainId) ? 'ready' : 'backfilling',
      ])
      return { ready: true, chains: Object.fromEntries(chains) }
    },
  })
}

/** Each configured chain's health. @param now null if the database can't be read */
export function chainsHealth(
  configured: readonly ChainConfig[],
  now: ChainsNow | null,
  rpc: RpcHeads,
): ChainHealth[] {
  return configured.map((chain) => chainHealth(chain, now, rpc.of(chain.chainId)))
}

function chainHealth({ name, chainId }: ChainConfig, now: ChainsNow | null, rpc: RpcHead) {
  const state = now?.ready.find((chain) => chain.chainId === chainId)
  const backfill = now?.backfilling.find((chain) => chain.chainId === chainId)
  const lagSeconds =
    state && rpc.timestamp !== null ? Math.max(0, rpc.timestamp - state.head.timestamp) : null
  const health: ChainHealth = {
    name,
    chainId: String(chainId),
    head: rpc.blockNumber,
    indexed: state?.head.blockNumber ?? null,
    lagSeconds,
    status: statusOf(state?.state ?? null, now !== null, rpc, lagSeconds),
  }
  return backfill ? { ...health, progress: backfill.progress } : health
}

function statusOf(
  state: 'live' | 'resuming' | null,
  databaseAnswers: boolean,
  rpc: RpcHead,
  lagSeconds: number | null,
): ChainHealth['status'] {
  if (!databaseAnswers) return 'unknown'
  if (!rpc.reachable) return 'rpc_unreachable'
  if (state === null) return 'backfilling'
  if (state === 'resuming') return 'resuming'
  if (lagSeconds !== null && lagSeconds > LAGGING_AFTER) return 'lagging'
  return rpc.stalled ? 'stalled' : 'ok'
}
