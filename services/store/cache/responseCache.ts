import type { ChangeFeed } from '../changes/changeFeed.ts'
import { createLruCache } from './lruCache.ts'

/** A moment between two changes of anything; null while the change feed is interrupted. */
type Moment = number | null

/** Whole answers, each valid until anything changes: a row, a chain's clock, the views. */
export type ResponseCache<Answer> = {
  /** The answer to the same question, if nothing has changed since it was read. */
  recall(question: string): Answer | undefined
  /** Take it before an answer's reading begins. */
  moment(): Moment
  /** Stores an answer whose reading began at a moment, unless that is over or the cache is for repeated ones. */
  keep(question: string, answer: Answer, bytes: number, begun: Moment): void
  statistics(): { hits: number; entries: number; bytes: number }
}

type ResponseCacheOptions = {
  /**
   * Stores an answer only if its question was asked before, in this moment or an earlier one. Most
   * questions come once: large answers stored for nothing keep the garbage collector marking, which
   * costs more than to read them.
   */
  repeatedOnly?: boolean
}

/** For the questions that came lately: some ten thousand. */
const QUESTION_BYTES = 4_000_000

/**
 * Caches answers between two changes. Chains' heads move every second or two, so nothing lives
 * longer; but popular answers are read once in that time instead of a thousand times.
 *
 * @param room bytes
 */
export function createResponseCache<Answer extends {}>(
  feed: ChangeFeed,
  room: number,
  { repeatedOnly = false }: ResponseCacheOptions = {},
): ResponseCache<Answer> {
  const answers = createLruCache<string, Answer>(room)
  const questions = createLruCache<string, true>(repeatedOnly ? QUESTION_BYTES : 0)
  const isRepeated = (question: string) => {
    if (questions.get(question)) return true
    questions.set(question, true, question.length)
    return false
  }
  let changes = 0
  let hits = 0
  feed.subscribe(() => {
    changes += 1
    answers.clear()
  })
  const moment = (): Moment => (feed.isConnected() ? changes : null)
  return {
    recall: (question) => {
      const answer = answers.get(question)
      if (answer !== undefined) hits += 1
      return answer
    },
    moment,
    keep: (question, answer, bytes, begun) => {
      if (repeatedOnly && !isRepeated(question)) return
      if (begun !== null && begun === moment())
        answers.set(question, answer, bytes + question.length)
    },
    statistics: () => ({ hits, ...answers.statistics() }),
  }
}
