import type { WorkerUtils } from 'graphile-worker'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** The one kind of job: look at an intent and do what its facts ask for. */
export const REACT = 'react'

export type ReactJob = { sourceChainId: number; intentId: string }

/** Jobs in one statement. */
const AT_ONCE = 100

/** Puts intents into the queue; one that waits there already is not put in twice. */
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
  // In one order, whoever asks: two that put in the same ones at once don't wait for each other in a circle.
  jobs.sort((one, other) => (one.jobKey < other.jobKey ? -1 : 1))
  for (let from = 0; from < jobs.length; from += AT_ONCE) {
    await queue.addJobs(jobs.slice(from, from + AT_ONCE))
  }
}
