import { CairnError } from '../errors/cairnError.ts'
import { intentDetailsAnswer, type RelayerIntent } from '../relayer/answers.ts'
import { askAnew } from '../relayer/askRelayer.ts'
import { RelayerError } from '../relayer/relayerError.ts'
import type { ClientContext } from './clientOptions.ts'

export type WaitOptions = {
  /** How far it has to come. Default `completed`. */
  until?: 'solving' | 'settled' | 'completed'
  /** Ends the waiting: `wait` rejects with the signal's reason. */
  signal?: AbortSignal
  /** Called with every new state, the first one included. */
  onUpdate?: (intent: RelayerIntent) => void
  /** Milliseconds between two questions. Default 2,000. */
  pollMs?: number
}

const ORDER = ['pending', 'solving', 'settled', 'completed']
const LONGEST_MS = 30_000
/** Right after its creation the relayer may not know an intent yet, for so long. */
const UNKNOWN_FOR_MS = 60_000

/**
 * Asks for an intent again and again, by its tag so that the same answer costs little, until it has come
 * far enough. While the relayer is away, ever more seldom.
 */
export async function waitForIntent(
  { baseUrl }: Pick<ClientContext, 'baseUrl'>,
  id: bigint,
  { until = 'completed', signal, onUpdate = () => {}, pollMs = 2_000 }: WaitOptions,
): Promise<RelayerIntent> {
  const began = Date.now()
  let etag: string | null = null
  let delay = pollMs
  for (;;) {
    signal?.throwIfAborted()
    try {
      const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
      const request = { path: `/intent-details/${id}`, headers }
      const found = await askAnew({ baseUrl }, request, intentDetailsAnswer)
      delay = pollMs
      etag = found.etag
      const intent = found.answer?.intent
      if (intent !== undefined) {
        onUpdate(intent)
        if (isFarEnough(intent, until)) return intent
      }
    } catch (error) {
      if (!isPassing(error, Date.now() - began)) throw error
      delay = Math.min(delay * 2, LONGEST_MS)
    }
    // So that those who wait for the same don't all ask at once.
    await pause(delay * (0.75 + Math.random() / 2), signal)
  }
}

/** @throws CairnError when it will never come there */
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

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, milliseconds)
    function done() {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    function stop() {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
