import type { WorkerUtils } from 'graphile-worker'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** The one kind of job: look at an intent and do what its facts ask for. */
export const REACT = 'react'

export type ReactJob = { sourceChainId: number; intentId: string }

/** Puts an intent into the queue; one that waits there already is not put in twice. */
export async function queueReaction(
  queue: Pick<WorkerUtils, 'addJob'>,
  { sourceChainId, intentId }: IntentKey,
): Promise<void> {
  const job: ReactJob = { sourceChainId, intentId: String(intentId) }
  await queue.addJob(REACT, job, {
    jobKey: `${sourceChainId}:${intentId}`,
    jobKeyMode: 'replace',
    maxAttempts: 3,
  })
}
