import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'

/** Decides whose reads of recipients may cost the enclave a reveal. */
export type RecipientRevealLimiter = {
  /**
   * Runs a reveal in its turn.
   *
   * @param stranger the address of a client that has signed nothing; null for one that has
   * @throws RateLimitedError, or UnavailableError `ENCLAVE_UNREACHABLE` when too many wait
   */
  pass<Result>(
    source: SourceFacts,
    stranger: string | null,
    task: () => Promise<Result>,
  ): Promise<Result>
}

/** Reveals that one unsigned client can cause. What was revealed before costs nothing. */
const STRANGERS = { perSecond: 5, burst: 50 }

/** Reveals that strangers can cause at once, and that wait, of intents whose winner has nothing left to pay. */
const OLD_AT_ONCE = 1
const OLD_WAITING = 32

export function createRecipientRevealLimiter(): RecipientRevealLimiter {
  const strangers = createRateLimit('reveals', STRANGERS)
  const old = createConcurrencyLimiter(OLD_AT_ONCE, OLD_WAITING, tooMany)
  return {
    async pass({ phase }, stranger, task) {
      if (stranger === null) return task()
      strangers.require(stranger)
      // A winner that still has to pay doesn't wait for readers of old intents.
      return phase === 'deposited' ? task() : old.pass(task)
    },
  }
}

function tooMany(): UnavailableError {
  const words = 'too many recipients of ended intents are being read: try again'
  return new UnavailableError(words, 'ENCLAVE_UNREACHABLE', 2)
}
