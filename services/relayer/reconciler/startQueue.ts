import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Logger, makeWorkerUtils, type Runner, run, type WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import { queueReactions, REACT, type ReactJob } from './queueReactions.ts'
import { createWaitingJobs } from './waitingJobs.ts'

type QueueOptions = {
  databaseUrl: string
  /** Jobs at once. */
  concurrency: number
  react: (key: IntentKey) => Promise<void>
  /** Called when the queue had to be started again. */
  onProblem: (error: unknown) => void
}

export type Queue = {
  pool: pg.Pool
  /** Queues these intents. */
  add(keys: readonly IntentKey[]): Promise<void>
  /** Names under which this process takes jobs. */
  workers(): string[]
  stop(): Promise<void>
}

const RESTART_MS = 500

/** Jobs hold only an intent's id; the reactions log their failures. */
const silent = new Logger(() => () => {})

/**
 * Takes reactions from the queue in the database, and restarts when the queue's own loop gives up,
 * as it may when the database is unreachable.
 */
export async function startQueue(options: QueueOptions): Promise<Queue> {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    application_name: 'cairn_reactions',
    // A job holds none of them while it works.
    max: 10,
    connectionTimeoutMillis: 15_000,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const workers = new Set<string>()
  const waiting = createWaitingJobs()
  const react = (key: IntentKey) => {
    waiting.begun(key)
    return options.react(key)
  }
  let runner = await begin({ ...options, react }, pool, workers)
  const utils = await makeWorkerUtils({ pgPool: pool, logger: silent })
  let isStopping = false
  const keeping = (async () => {
    while (!isStopping) {
      await runner.promise.catch(options.onProblem)
      workers.clear()
      while (!isStopping) {
        await pause(RESTART_MS)
        const next = await begin({ ...options, react }, pool, workers).catch(options.onProblem)
        if (!next) continue
        runner = next
        break
      }
    }
  })()
  return {
    pool,
    add: async (keys) => {
      const fresh = waiting.add(keys)
      try {
        await queueReactions(utils, fresh)
      } catch (error) {
        waiting.forget(fresh)
        throw error
      }
    },
    workers: () => [...workers],
    stop: async () => {
      isStopping = true
      // It has already stopped by itself.
      await runner.stop().catch(() => {})
      await keeping
      await utils.release()
    },
  }
}

function begin(
  { concurrency, react }: QueueOptions,
  pool: pg.Pool,
  workers: Set<string>,
): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter()
  // Jobs are locked by the pool that took them, whichever of its workers does them.
  events.on('pool:create', ({ workerPool }) => workers.add(workerPool.id))
  events.on('pool:release', ({ workerPool }) => workers.delete(workerPool.id))
  return run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    // Taken and ended many at a time: else each worker asks for each job by itself.
    preset: {
      worker: {
        ...{ localQueue: { size: concurrency }, completeJobBatchDelay: 10, failJobBatchDelay: 10 },
      },
    },
    pollInterval: 1_000,
    events,
    logger: silent,
    taskList: {
      [REACT]: async (payload) => {
        const { sourceChainId, intentId } = payload as ReactJob
        await react({ sourceChainId, intentId: BigInt(intentId) })
      },
    },
  })
}
