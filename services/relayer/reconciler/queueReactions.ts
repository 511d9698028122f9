import type { AddJobsJobSpec, WorkerUtils } from 'graphile-worker'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** The only kind of job: reconcile an intent. */
export const REACT = 'react'

export type ReactJob = { sourceChainId: number; intentId: string }

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
    const jobKey = `${sourceChainId}:${intentId}`
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
