import { CairnError } from '../errors/cairnError.ts'
import { abortableSleep, backoff } from '../events/abortableSleep.ts'
import { RelayerError } from '../relayer/relayerError.ts'
import { intentDetailsAnswer, type RelayerIntent } from '../relayer/relayerResponses.ts'
import { requestIfChanged } from '../relayer/requestRelayer.ts'
import type { ClientContext } from './clientOptions.ts'

export type WaitOptions = {
  /** The status to wait for. Default `completed`. */
  until?: 'solving' | 'settled' | 'completed'
  /** Cancels the wait: `wait` rejects with the signal's reason. */
  signal?: AbortSignal
  /** Called with every new state, including the first. */
  onUpdate?: (intent: RelayerIntent) => void
  /** Polling interval in milliseconds while there is no event stream. Default 2,000. */
  pollMs?: number
}

const STATUS_ORDER = ['pending', 'solving', 'settled', 'completed']
const MAX_BACKOFF_MS = 30_000
/** Polling interval while an event stream reports changes. */
const STREAMING_POLL_MS = 30_000
/** How long after its creation an intent may still be unknown to the relayer. */
const UNKNOWN_FOR_MS = 60_000

/**
 * Waits until an intent reaches a status. Reads the intent when the relayer's event stream reports a change. Without a
 * stream it polls with the entity tag, so that an unchanged answer is cheap, and backs off while the relayer is
 * unreachable.
 */
export async function waitForIntent(
  { baseUrl, watch }: Pick<ClientContext, 'baseUrl' | 'watch'>,
  id: bigint,
  { until = 'completed', signal, onUpdate = () => {}, pollMs = 2_000 }: WaitOptions,
): Promise<RelayerIntent> {
  const changes = watchChanges(watch, id)
  const began = Date.now()
  let etag: string | null = null
  let failures = 0
  try {
    for (;;) {
      signal?.throwIfAborted()
      changes.clear()
      try {
        const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
        const request = { path: `/intent-details/${id}`, headers }
        const found = await requestIfChanged({ baseUrl }, request, intentDetailsAnswer)
        failures = 0
        etag = found.etag
        const intent = found.answer?.intent
        if (intent !== undefined) {
          onUpdate(intent)
          if (hasReached(intent, until)) return intent
        }
      } catch (error) {
        if (!isTemporary(error, Date.now() - began)) throw error
        failures += 1
      }
      const isNotified = failures === 0 && watch.isLive(id)
      const delay = backoff(failures, isNotified ? STREAMING_POLL_MS : pollMs, MAX_BACKOFF_MS)
      await changes.wait(delay, signal)
    }
  } finally {
    changes.stop()
  }
}

/** Remembers whether the stream reported a change of the intent since the last request. */
function watchChanges(watch: ClientContext['watch'], id: bigint) {
  let hasChanged = false
  let wake = () => {}
  const stop = watch.watch(id, () => {
    hasChanged = true
    wake()
  })
  return {
    stop,
    clear: () => {
      hasChanged = false
    },
    /** Waits for a change, but no longer than this. */
    wait: async (milliseconds: number, signal: AbortSignal | undefined) => {
      if (hasChanged) return
      const waking = new AbortController()
      wake = () => waking.abort()
      const either = signal ? AbortSignal.any([signal, waking.signal]) : waking.signal
      await abortableSleep(milliseconds, either).catch(() => {})
      signal?.throwIfAborted()
    },
  }
}

/** @throws CairnError when the status can no longer be reached */
function hasReached(intent: RelayerIntent, until: string): boolean {
  const { status, intentId } = intent
  const details = { intentId, status }
  if (status === 'expired') {
    const words =
      'no solver took the intent before its deadline: refund() returns the funds to the sender'
    throw new CairnError('INTENT_EXPIRED', words, { details })
  }
  if (status === 'failed') {
    const words =
      'the winner did not deliver in time: refund() returns the funds to the sender, or the relayer does'
    throw new CairnError('EXECUTION_TIMEOUT', words, { details })
  }
  return status === 'cancelled' || STATUS_ORDER.indexOf(status) >= STATUS_ORDER.indexOf(until)
}

function isTemporary(error: unknown, sinceMs: number): boolean {
  if (!(error instanceof RelayerError)) return false
  return error.retryable || (error.code === 'INTENT_NOT_FOUND' && sinceMs < UNKNOWN_FOR_MS)
}
