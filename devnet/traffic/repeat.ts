import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { reasonOf } from '../../services/chain/accountSender.ts'

/**
 * Does something again and again until the signal is aborted. An error is logged and is no reason
 * to end: the node may be back for the next time.
 *
 * @param everyMs milliseconds from the end of one time to the beginning of the next
 */
export async function repeat(
  everyMs: number,
  { signal, log }: { signal: AbortSignal; log: Logger },
  act: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await act()
    } catch (error) {
      if (!signal.aborted) log.debug({ reason: reasonOf(error) }, 'the traffic stumbled')
    }
    await pause(everyMs, undefined, { signal }).catch(() => {})
  }
}
