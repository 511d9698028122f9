import { CairnError } from '../errors/cairnError.ts'
import { isViemError } from '../errors/findViemError.ts'
import { abortableSleep, backoff } from '../events/abortableSleep.ts'
import { orAborted } from '../events/orAborted.ts'
import { RelayerError } from '../relayer/relayerError.ts'
import { intentDetailsAnswer, type RelayerIntent } from '../relayer/relayerResponses.ts'
import { requestIfChanged } from '../relayer/requestRelayer.ts'
import { requireSameIntent } from '../relayer/requireOwnAnswer.ts'
import type { ClientContext } from './clientOptions.ts'
import { isShownByChain } from './isShownByChain.ts'

export type WaitOptions = {
  /** The status to wait for. Default `completed`. */
  until?: 'solving' | 'settled' | 'completed' | undefined
  /**
   * Ends the wait at once, and its request to the relayer: `wait` rejects with the signal's reason. Without it, `wait` goes on
   * for as long as the intent does and through any outage of the relayer or the chain's RPC: `AbortSignal.timeout(3_600_000)`
   * gives it an hour.
   */
  signal?: AbortSignal | undefined
  /** Called with every new state, including the first, as soon as the relayer reports it: before the chain is asked. */
  onUpdate?: ((intent: RelayerIntent) => void) | undefined
  /** Called with each failure that the wait goes on through, such as an outage of the relayer or the chain's RPC. */
  onError?: ((error: Error) => void) | undefined
  /** Polling interval in milliseconds while there is no event stream. Default 2,000. */
  pollMs?: number | undefined
}

const STATUS_ORDER = ['pending', 'solving', 'settled', 'completed']
const MAX_BACKOFF_MS = 30_000
/** Polling interval while an event stream reports changes. */
const STREAMING_POLL_MS = 30_000
/** The least between two requests, however many changes the stream reports: each may ask your node too. */
const LEAST_POLL_MS = 250
/** How long after its creation an intent may still be unknown to the relayer. */
const UNKNOWN_FOR_MS = 60_000
/** How long your node may lag behind the relayer's, or have errors. */
const UNSHOWN_FOR_MS = 120_000

/**
 * Waits until an intent reaches a status, by the source chain too if there is a client for it. Reads the intent when the
 * relayer's event stream reports a change. Without a stream it polls with the entity tag, so that an unchanged answer is
 * cheap, and backs off while the relayer or the chain is unreachable.
 */
export async function waitForIntent(
  { baseUrl, watch, chains }: Pick<ClientContext, 'baseUrl' | 'watch' | 'chains'>,
  id: bigint,
  options: WaitOptions,
): Promise<RelayerIntent> {
  const { until = 'completed', signal, onUpdate, onError, pollMs = 2_000 } = options
  const changes = watchChanges(watch, id)
  const began = performance.now()
  let etag: string | null = null
  let failures = 0
  let latest: RelayerIntent | null = null
  let unshownSince: number | null = null
  try {
    for (;;) {
      signal?.throwIfAborted()
      changes.clear()
      try {
        const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
        const request = { path: `/intent-details/${id}`, headers, signal }
        const asking = requestIfChanged({ baseUrl }, request, intentDetailsAnswer)
        const found = await orAborted(asking, signal)
        etag = found.etag
        if (found.answer !== null) {
          latest = requireSameIntent(found.answer.intent, id)
          onUpdate?.(latest)
        }
        if (latest !== null && hasReached(latest, until)) {
          unshownSince ??= performance.now()
          const isShown = await orAborted(isShownByChain(latest, chains), signal)
          if (isShown) return requireSuccess(latest)
          if (performance.now() - unshownSince > UNSHOWN_FOR_MS) throw contradiction(latest)
        } else unshownSince = null
        failures = 0
      } catch (error) {
        signal?.throwIfAborted()
        const isOfNode = isViemError(error) && unshownSince !== null
        const mayPass = isOfNode && performance.now() - unshownSince! <= UNSHOWN_FOR_MS
        if (!mayPass && !isTemporary(error, performance.now() - began)) throw error
        // After an outage of your node, it may lag for a while.
        if (!isOfNode && !(error instanceof RelayerError)) unshownSince = null
        failures += 1
        onError?.(error as Error)
      }
      const isNotified = failures === 0 && unshownSince === null && watch.isLive(id)
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
  let clearedAt = 0
  let wake = () => {}
  const stop = watch.watch(id, () => {
    hasChanged = true
    wake()
  })
  return {
    stop,
    clear: () => {
      hasChanged = false
      clearedAt = performance.now()
    },
    /** Waits for a change, but no longer than this. */
    wait: async (milliseconds: number, signal: AbortSignal | undefined) => {
      const waking = new AbortController()
      wake = () => waking.abort()
      const either = signal ? AbortSignal.any([signal, waking.signal]) : waking.signal
      if (!hasChanged) await abortableSleep(milliseconds, either).catch(() => {})
      signal?.throwIfAborted()
      const early = clearedAt + LEAST_POLL_MS - performance.now()
      if (hasChanged && early > 0) await abortableSleep(early, signal)
    },
  }
}

/** Whether the status is reached, or can't be any more. */
function hasReached({ status }: RelayerIntent, until: string): boolean {
  const isOver = ['cancelled', 'expired', 'failed'].includes(status)
  return isOver || STATUS_ORDER.indexOf(status) >= STATUS_ORDER.indexOf(until)
}

const REFUND = 'refund() returns the funds to the sender'

/** @throws CairnError for an intent that nobody delivered */
function requireSuccess(intent: RelayerIntent): RelayerIntent {
  const { status, intentId, feeBps } = intent
  const details = { intentId, status }
  if (status === 'expired') {
    const cause =
      feeBps === null
        ? 'nobody could bid, as it was never anchored (too many registered recipients for its amount?)'
        : 'no solver took the intent before its deadline'
    throw new CairnError('INTENT_EXPIRED', `${cause}: ${REFUND}`, { details })
  }
  if (status === 'failed') {
    const words = `the winner did not deliver in time: ${REFUND}, or the relayer does`
    throw new CairnError('EXECUTION_TIMEOUT', words, { details })
  }
  return intent
}

function contradiction({ intentId, status }: RelayerIntent): CairnError {
  const words = `the relayer says that intent ${intentId} is ${status}, which its chain doesn’t show: don’t rely on it`
  return new CairnError('ANSWER_INVALID', words, { details: { intentId, status } })
}

function isTemporary(error: unknown, sinceMs: number): boolean {
  if (error instanceof CairnError && error.code === 'RPC_UNREACHABLE') return true
  if (!(error instanceof RelayerError)) return false
  return error.retryable || (error.code === 'INTENT_NOT_FOUND' && sinceMs < UNKNOWN_FOR_MS)
}
