import type { WorkerUtils } from 'graphile-worker'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** The one kind of job: look at an intent and do what its facts ask for. */
export const REACT = 'react'

export type ReactJob = { sourceChainId: number; intentId: string }

/** Jobs per statement. */
const AT_ONCE = 100
/** PostgreSQL's code for a deadlock. */
const DEADLOCK = '40P01'

/** Queues intents in this order, which is that of their turns; those already waiting aren't queued again. */
export async function queueReactions(
  queue: Pick<WorkerUtils, 'addJobs'>,
  keys: readonly IntentKey[],
): Promise<void> {
  const jobs = keys.map(({ sourceChainId, intentId }) => ({
    identifier: REACT,
    payload: { sourceChainId, intentId: String(intentId) } satisfies ReactJob,
    jobKey: `${sourceChainId}:${intentId}`,
    maxAttempts: 3,
  }))
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
