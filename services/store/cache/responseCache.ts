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
  /** Stores an answer whose reading began at a moment, unless that is over. */
  keep(question: string, answer: Answer, bytes: number, begun: Moment): void
  statistics(): { hits: number; entries: number; bytes: number }
}

/**
 * Caches answers between two changes. Chains' heads move every second or two, so nothing lives
 * longer; but popular answers are read once in that time instead of a thousand times.
 *
 * @param room bytes
 */
export function createResponseCache<Answer extends {}>(
  feed: ChangeFeed,
  room: number,
): ResponseCache<Answer> {
  const answers = createLruCache<string, Answer>(room)
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
      if (begun !== null && begun === moment())
        answers.set(question, answer, bytes + question.length)
    },
    statistics: () => ({ hits, ...answers.statistics() }),
  }
}
