import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type AddJobsJobSpec,
  Logger,
  makeWorkerUtils,
  type Runner,
  run,
  type WorkerEvents,
  type WorkerUtils,
} from 'graphile-worker'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { repeat } from '../../process/repeat.ts'
import { openPool } from '../../store/database/openPool.ts'
import { type IntentKey, intentName } from '../../store/intents/storedIntent.ts'

type QueueOptions = {
  databaseUrl: string
  /** Maximum concurrent jobs. */
  concurrency: number
  /** Called for one job per intent at a time. */
  react: (key: IntentKey) => Promise<void>
  /** Called after the queue has been restarted. */
  onProblem: (error: unknown) => void
  /** Milliseconds after which a job goes on without its place among the concurrent ones. Default 2,000. */
  placeMs?: number
}

export type Queue = {
  pool: Pool
  add(keys: readonly IntentKey[]): Promise<void>
  /** Names under which this process takes jobs. */
  workers(): string[]
  stop(): Promise<void>
}

const RESTART_MS = 500

/** Longer than a reaction takes on a chain whose nodes answer. */
const PLACE_MS = 2_000
/** Limit on reactions without a place, since each holds its intent's state. Any more keep their places. */
const MOST_WITHOUT_PLACE = 2_000
/** Milliseconds for which reactions without a place may end in order. Any other process can do their work again. */
const ENDING_MS = 5_000

/** Jobs hold only an intent's id. Reactions log their own failures. */
const silent = new Logger(() => () => {})

/**
 * Takes reactions from the queue in the database, and restarts it when its own loop gives up, as it may while the
 * database is unreachable.
 */
export async function startQueue(options: QueueOptions): Promise<Queue> {
  const pool = openPool({
    connectionString: options.databaseUrl,
    application_name: 'cairn_reactions',
    // A running job holds none of them.
    max: 10,
    connectionTimeoutMillis: 15_000,
    statement_timeout: 30_000,
  })
  const workers = new Set<string>()
  const waiting = createWaitingJobs()
  const reactOnce = oneAtATime(options.react)
  const places = createPlaces(options.placeMs ?? PLACE_MS)
  const react = (key: IntentKey) => {
    waiting.begun(key)
    return places.hold(reactOnce(key))
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
      await Promise.race([places.ended(), pause(ENDING_MS, undefined, { ref: false })])
      await utils.release()
    },
  }
}

function begin(
  { concurrency, react }: QueueOptions,
  pool: Pool,
  workers: Set<string>,
): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter()
  // The pool that took a job holds its lock, whichever worker runs it.
  events.on('pool:create', ({ workerPool }) => workers.add(workerPool.id))
  events.on('pool:release', ({ workerPool }) => workers.delete(workerPool.id))
  return run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    // Jobs are taken and completed in bulk. Otherwise each worker would query for each job.
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
 * Queues intents in the given order, except those already waiting. An intent named twice, for two effects, is queued
 * once.
 */
export async function queueReactions(
  queue: Pick<WorkerUtils, 'addJobs'>,
  keys: readonly IntentKey[],
): Promise<void> {
  const byKey = new Map<string, AddJobsJobSpec>()
  for (const { sourceChainId, intentId } of keys) {
    const payload: ReactJob = { sourceChainId, intentId: String(intentId) }
    const jobKey = intentName({ sourceChainId, intentId })
    // A statement can't change a row twice.
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
      // Another instance may queue the same intents in another order. One at a time, they can't deadlock.
      for (const job of some) await queue.addJobs([job])
    }
  }
}

/** Intents that this process queued and whose jobs haven't started. */
type WaitingJobs = {
  /** Returns those that need queueing, and marks them as waiting. */
  add(keys: readonly IntentKey[]): IntentKey[]
  /** A job started, so it may miss any later change. */
  begun(key: IntentKey): void
  /** Queueing them failed. */
  forget(keys: readonly IntentKey[]): void
}

/**
 * Milliseconds for which a job counts as waiting. Another process may have taken it, but that process gets later
 * changes itself while it runs.
 */
const WAITS_MS = 5_000

/** Intents remembered as waiting. One that is forgotten is only queued again. */
const MAX_WAITING = 20_000

/** Tracks waiting jobs, so that an intent isn't queued for every change: its job will read all of them. */
export function createWaitingJobs(
  now: () => number = performance.now.bind(performance),
  capacity = MAX_WAITING,
): WaitingJobs {
  // Bounded, because jobs that other processes take never begin here, and `ttl` alone removes nothing.
  const waiting = new LRUCache<string, true>({
    max: capacity,
    ttl: WAITS_MS,
    ttlResolution: 0,
    perf: { now },
  })
  return {
    add(keys) {
      const fresh = keys.filter((key) => !waiting.has(intentName(key)))
      for (const key of fresh) waiting.set(intentName(key), true)
      return fresh
    },
    begun: (key) => void waiting.delete(intentName(key)),
    forget(keys) {
      for (const key of keys) waiting.delete(intentName(key))
    },
  }
}

/**
 * Runs one job per intent at a time. A call during a run returns at once and makes the run repeat, so a slow intent
 * occupies only one worker.
 */
export function oneAtATime(
  work: (key: IntentKey) => Promise<void>,
): (key: IntentKey) => Promise<void> {
  const atWork = new Map<string, { again: boolean }>()
  return async (key) => {
    const name = intentName(key)
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

/**
 * Places of concurrent jobs. A job that waits long, as hundreds may for the nodes of a chain that has fallen silent, goes on
 * without its place: those of other chains need it. If such a job fails, the next sweep finds its intent.
 */
function createPlaces(placeMs: number) {
  const withoutPlace = new Set<Promise<void>>()
  return {
    /** Resolves when the job's place is free. */
    async hold(job: Promise<void>): Promise<void> {
      const over = new AbortController()
      const timeIsUp = pause(placeMs, 'late' as const, { signal: over.signal }).catch(() => null)
      const first = await Promise.race([job, timeIsUp]).finally(() => over.abort())
      if (first !== 'late') return
      if (withoutPlace.size >= MOST_WITHOUT_PLACE) return job
      const goesOn = job.catch(() => {}).finally(() => withoutPlace.delete(goesOn))
      withoutPlace.add(goesOn)
    },
    /** Resolves when all jobs without a place have ended. */
    ended: () => Promise.all(withoutPlace),
  }
}

/** Seconds without a heartbeat after which a worker counts as dead. */
const DEAD_AFTER = 5

/**
 * Frees the jobs of killed workers, so that others run them within seconds instead of the queue's four hours. A
 * worker that is slow but alive loses nothing, because running a reaction twice has no second effect.
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
