import { CairnError } from '../errors/cairnError.ts'
import { backoff, pause } from '../events/pause.ts'
import { intentDetailsAnswer, type RelayerIntent } from '../relayer/answers.ts'
import { askAnew } from '../relayer/askRelayer.ts'
import { RelayerError } from '../relayer/relayerError.ts'
import type { ClientContext } from './clientOptions.ts'

export type WaitOptions = {
  /** The status to wait for. Default `completed`. */
  until?: 'solving' | 'settled' | 'completed'
  /** Ends the waiting: `wait` rejects with the signal's reason. */
  signal?: AbortSignal
  /** Called with every new state, the first one included. */
  onUpdate?: (intent: RelayerIntent) => void
  /** Milliseconds between two questions while there is no event stream. Default 2,000. */
  pollMs?: number
}

const ORDER = ['pending', 'solving', 'settled', 'completed']
const LONGEST_MS = 30_000
/** The polling interval while an event stream says when to ask. */
const BESIDE_STREAM_MS = 30_000
/** How long after its creation the relayer may not know an intent yet. */
const UNKNOWN_FOR_MS = 60_000

/**
 * Waits until an intent has reached a status. The relayer's event stream says when to ask for it; without
 * one it polls, with the entity tag so that an unchanged answer costs little, and with backoff while the
 * relayer can't be reached.
 */
export async function waitForIntent(
  { baseUrl, watch }: Pick<ClientContext, 'baseUrl' | 'watch'>,
  id: bigint,
  { until = 'completed', signal, onUpdate = () => {}, pollMs = 2_000 }: WaitOptions,
): Promise<RelayerIntent> {
  const news = newsOf(watch, id)
  const began = Date.now()
  let etag: string | null = null
  let failures = 0
  try {
    for (;;) {
      signal?.throwIfAborted()
      news.forget()
      try {
        const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
        const request = { path: `/intent-details/${id}`, headers }
        const found = await askAnew({ baseUrl }, request, intentDetailsAnswer)
        failures = 0
        etag = found.etag
        const intent = found.answer?.intent
        if (intent !== undefined) {
          onUpdate(intent)
          if (isFarEnough(intent, until)) return intent
        }
      } catch (error) {
        if (!isPassing(error, Date.now() - began)) throw error
        failures += 1
      }
      const isNotified = failures === 0 && watch.isLive(id)
      const delay = backoff(failures, isNotified ? BESIDE_STREAM_MS : pollMs, LONGEST_MS)
      await news.wait(delay, signal)
    }
  } finally {
    news.leave()
  }
}

/** Whether the stream had an event of one intent since the last request. */
function newsOf(watch: ClientContext['watch'], id: bigint) {
  let isThere = false
  let wake = () => {}
  const leave = watch.watch(id, () => {
    isThere = true
    wake()
  })
  return {
    leave,
    forget: () => {
      isThere = false
    },
    wait: async (milliseconds: number, signal: AbortSignal | undefined) => {
      if (isThere) return
      const waking = new AbortController()
      wake = () => waking.abort()
      const either = signal ? AbortSignal.any([signal, waking.signal]) : waking.signal
      await pause(milliseconds, either).catch(() => {})
      signal?.throwIfAborted()
    },
  }
}

/** @throws CairnError when it can no longer reach it */
function isFarEnough(intent: RelayerIntent, until: string): boolean {
  const { status, intentId } = intent
  const details = { intentId, status }
  if (status === 'expired') {
    const words = 'no solver took the intent before its deadline: refund() pays its sender back'
    throw new CairnError('INTENT_EXPIRED', words, { details })
  }
  if (status === 'failed') {
    const words =
      'the winner did not deliver in time: refund() pays its sender back, or the relayer does'
    throw new CairnError('EXECUTION_TIMEOUT', words, { details })
  }
  return status === 'cancelled' || ORDER.indexOf(status) >= ORDER.indexOf(until)
}

function isPassing(error: unknown, sinceMs: number): boolean {
  if (!(error instanceof RelayerError)) return false
  return error.retryable || (error.code === 'INTENT_NOT_FOUND' && sinceMs < UNKNOWN_FOR_MS)
}
