import { EventEmitter } from 'node:events'
import {
  type AddJobsJobSpec,
  Logger,
  makeWorkerUtils,
  type Runner,
  run,
  type WorkerEvents,
  type WorkerUtils,
} from 'graphile-worker'
import type { Pool } from 'pg'
import pg from 'pg'
import { repeat } from '../../process/repeat.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

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
  const reactOnce = oneAtATime(options.react)
  const react = (key: IntentKey) => {
    waiting.begun(key)
    return reactOnce(key)
  }
  let runner: Runner | null = await begin({ ...options, react }, pool, workers)
  const utils = await makeWorkerUtils({ pgPool: pool, logger: silent })
  let isStopping = false
  const keeping = repeat(RESTART_MS, options.onProblem, async () => {
    runner ??= await begin({ ...options, react }, pool, workers)
    if (isStopping) await runner.stop()
    await runner.promise.finally(() => {
      runner = null
      workers.clear()
    })
  })
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
      const stopped = keeping.stop()
      // It may have stopped by itself.
      await runner?.stop().catch(() => {})
      await stopped
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
        localQueue: { size: concurrency },
        completeJobBatchDelay: 10,
        failJobBatchDelay: 10,
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

/** The only kind of job: reconcile an intent. */
const REACT = 'react'

type ReactJob = { sourceChainId: number; intentId: string }

/** Jobs per statement. */
const AT_ONCE = 100
/** PostgreSQL's code for a deadlock. */
const DEADLOCK = '40P01'

/**
 * Queues intents in this order, which is that of their turns; those already waiting aren't queued again. One
 * that is named twice is queued once: it may ask for two effects.
 */
export async function queueReactions(
  queue: Pick<WorkerUtils, 'addJobs'>,
  keys: readonly IntentKey[],
): Promise<void> {
  const byKey = new Map<string, AddJobsJobSpec>()
  for (const { sourceChainId, intentId } of keys) {
    const payload: ReactJob = { sourceChainId, intentId: String(intentId) }
    const jobKey = nameOf({ sourceChainId, intentId })
    // A statement can't change one row twice.
    if (!byKey.has(jobKey))
      byKey.set(jobKey, { identifier: REACT, payload, jobKey, maxAttempts: 3 })
  }
  const jobs = [...byKey.values()]
  for (let from = 0; from < jobs.length; from += AT_ONCE) {
    const some = jobs.slice(from, from + AT_ONCE)
    try {
      await queue.addJobs(some)
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK) throw error
      // Another instance queues the same intents in another order: one by one can't deadlock.
      for (const job of some) await queue.addJobs([job])
    }
  }
}

/** Intents whose jobs this process queued and that haven't started. */
type WaitingJobs = {
  /** Returns those that need queueing and marks them as waiting. */
  add(keys: readonly IntentKey[]): IntentKey[]
  /** A job started: it may miss any later change. */
  begun(key: IntentKey): void
  /** Queueing them failed. */
  forget(keys: readonly IntentKey[]): void
}

/**
 * Milliseconds for which a job counts as waiting. Another process may have taken it; that process gets changes
 * itself for as long as it runs.
 */
const WAITS_MS = 5_000

/** Tracks waiting jobs, so that an intent isn't queued once per change: its job reads all changes. */
export function createWaitingJobs(
  now: () => number = performance.now.bind(performance),
): WaitingJobs {
  const since = new Map<string, number>()
  return {
    add(keys) {
      const time = now()
      const fresh = keys.filter((key) => time - (since.get(nameOf(key)) ?? -WAITS_MS) >= WAITS_MS)
      for (const key of fresh) since.set(nameOf(key), time)
      return fresh
    },
    begun: (key) => void since.delete(nameOf(key)),
    forget(keys) {
      for (const key of keys) since.delete(nameOf(key))
    },
  }
}

function nameOf({ sourceChainId, intentId }: IntentKey): string {
  return `${sourceChainId}:${intentId}`
}

/**
 * Works on each intent once at a time: a call during the work returns at once, and the work is
 * repeated after it has ended. So a slow intent holds one worker.
 */
export function oneAtATime(
  work: (key: IntentKey) => Promise<void>,
): (key: IntentKey) => Promise<void> {
  const atWork = new Map<string, { again: boolean }>()
  return async (key) => {
    const name = nameOf(key)
    const running = atWork.get(name)
    if (running) {
      running.again = true
      return
    }
    const state = { again: true }
    atWork.set(name, state)
    try {
      while (state.again) {
        state.again = false
        await work(key)
      }
    } finally {
      atWork.delete(name)
    }
  }
}

/** Seconds without a heartbeat after which a worker counts as dead. */
const DEAD_AFTER = 5

/**
 * Frees the jobs of workers that were killed, so that others run them within seconds: the queue itself
 * would wait four hours. A slow but living worker loses nothing by it, since running a reaction twice
 * has no second effect.
 */
export async function releaseDeadWorkers(pool: Pool): Promise<void> {
  const { rows } = await pool.query(
    `select distinct locked_by from graphile_worker.jobs job
     where locked_by is not null and locked_at < now() - $1 * interval '1 second'
       and not exists (select from app.role_status role
         where role.role = 'reactions' and role.beat_at > now() - $1 * interval '1 second'
           and role.status -> 'workers' ? job.locked_by)`,
    [DEAD_AFTER],
  )
  const dead = rows.map(({ locked_by }) => locked_by)
  if (dead.length > 0) {
    await pool.query('select graphile_worker.force_unlock_workers($1::text[])', [dead])
  }
}
