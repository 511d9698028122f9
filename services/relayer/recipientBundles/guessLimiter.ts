import { LRUCache } from 'lru-cache'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { IntentTerms } from '../terms/intentTerms.ts'

/** An intent, by the sender that its bundles name. */
type GuessedIntent = Pick<IntentTerms, 'sourceChainId' | 'intentId' | 'paramsHash' | 'user'>

/**
 * Limits how many different unsigned bundles of an intent are compared with the one that is stored or on chain. A
 * bundle that is stored first counts too. The counts are in memory: otherwise anyone who can change rows could guess
 * recipients without end.
 */
export type GuessLimiter = {
  /**
   * Whether one more may be compared.
   *
   * @param ciphertext hash of its ciphertext, which counts once; null for plaintext
   */
  take(intent: GuessedIntent, ciphertext: Hex | null): boolean
  /** Takes a guess back: the bundle equals the other one. */
  giveBack(intent: GuessedIntent, ciphertext: Hex | null): void
  /** The sender has signed this ciphertext: repeating it without the signature is no guess. */
  admit(intent: GuessedIntent, ciphertext: Hex | null): void
}

/** Limit on different bundles that strangers may have compared with the stored one or the one on chain. */
export const MOST_GUESSES = 3

/** Intents remembered. */
const MAX_INTENTS = 50_000

/**
 * Ciphertexts of an intent. `unsigned`: how often each was taken and not given back, so that a wrong one still counts when
 * changed rows make it seem right later; `signed`: the last one that its sender signed.
 */
type Seen = { plain: number; unsigned: Map<Hex, number>; signed: Hex | null }

export function createGuessLimiter(): GuessLimiter {
  const intents = new LRUCache<string, Seen>({ max: MAX_INTENTS })

  function find({ sourceChainId, intentId, paramsHash, user }: GuessedIntent): Seen {
    const name = `${sourceChainId} ${intentId} ${paramsHash} ${user}`
    const seen = intents.get(name) ?? { plain: 0, unsigned: new Map<Hex, number>(), signed: null }
    intents.set(name, seen)
    return seen
  }

  return {
    take(intent, ciphertext) {
      const seen = find(intent)
      const times = ciphertext === null ? 0 : (seen.unsigned.get(ciphertext) ?? 0)
      if (times === 0) {
        if (ciphertext !== null && ciphertext === seen.signed) return true
        if (seen.plain + seen.unsigned.size >= MOST_GUESSES) return false
      }
      if (ciphertext === null) seen.plain += 1
      else seen.unsigned.set(ciphertext, times + 1)
      return true
    },
    giveBack(intent, ciphertext) {
      const seen = find(intent)
      if (ciphertext === null) {
        seen.plain = Math.max(0, seen.plain - 1)
        return
      }
      const times = (seen.unsigned.get(ciphertext) ?? 0) - 1
      if (times > 0) seen.unsigned.set(ciphertext, times)
      else seen.unsigned.delete(ciphertext)
    },
    admit(intent, ciphertext) {
      find(intent).signed = ciphertext
    },
  }
}
