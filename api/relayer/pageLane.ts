import type { AnswerMemory } from '../../services/store/answerMemory.ts'
import { conditionalAnswer, type Rendered } from '../http/conditional.ts'
import type { LaneEndpoint } from '../http/lane.ts'

/** A list of intents by its whole address; addresses that are longer aren't remembered. */
const PATH = /^(?:\/v1)?(\/intents(?:\?[^#]{0,500})?)$/

/** `GET /intents` again, before anything has changed. */
export function pageLane(pages: AnswerMemory<Rendered>): LaneEndpoint {
  return {
    route: '/intents',
    open: ({ method, url = '', headers }) => {
      const question = method === 'GET' ? questionOf(url) : null
      const page = question === null ? undefined : pages.recall(question)
      return page ? () => conditionalAnswer(page, headers['if-none-match']) : null
    },
  }
}

/** What a page is remembered by: its path and query; null for none. */
export function questionOf(pathAndQuery: string): string | null {
  return PATH.exec(pathAndQuery)?.[1] ?? null
}
