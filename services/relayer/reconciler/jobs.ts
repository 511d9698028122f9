import type { WorkerUtils } from 'graphile-worker'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** The one kind of job: look at an intent and do what its facts ask for. */
export const REACT = 'react'

export type ReactJob = { sourceChainId: number; intentId: string }

/** Jobs per statement. */
const AT_ONCE = 100

/** Queues intents; those already waiting aren't queued again. */
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
  // Sorted, so that two instances queueing the same intents don't deadlock.
  jobs.sort((one, other) => (one.jobKey < other.jobKey ? -1 : 1))
  for (let from = 0; from < jobs.length; from += AT_ONCE) {
    await queue.addJobs(jobs.slice(from, from + AT_ONCE))
  }
}
