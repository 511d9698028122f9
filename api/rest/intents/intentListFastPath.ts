import { conditionalAnswer } from '../../http/conditionalResponse.ts'
import type { FastPathAnswer, FastPathEndpoint } from '../../http/fastPath.ts'
import type { ReadContext } from '../readContext.ts'
import { type PageQuery, pageQuery, readPage } from './intentListQuery.ts'

/** A list of intents by its whole address; longer ones aren't cached. */
const PATH = /^(?:\/v1)?(\/intents(?:\?[^#]{0,500})?)$/

/** `GET /intents` of the present: from the cache until anything changes, else read. */
export function intentListFastPath(reads: ReadContext): FastPathEndpoint {
  const { pages } = reads
  const read = async (question: string, ifNoneMatch: string | undefined) => {
    const given = queryIn(question)
    if (given === null) return null
    const begun = pages.moment()
    const page = await readPage(reads, given)
    pages.keep(question, page, page.body.length, begun)
    return conditionalAnswer(page, ifNoneMatch)
  }
  const answer = (
    question: string,
    ifNoneMatch: string | undefined,
  ): FastPathAnswer | Promise<FastPathAnswer | null> => {
    const page = pages.recall(question)
    return page ? conditionalAnswer(page, ifNoneMatch) : read(question, ifNoneMatch)
  }
  return {
    route: '/intents',
    handlerFor: ({ method, url = '', headers }) => {
      const question = method === 'GET' ? questionOf(url) : null
      return question === null ? null : () => answer(question, headers['if-none-match'])
    },
  }
}

/** A page's cache key, its path and query; null for none. */
function questionOf(pathAndQuery: string): string | null {
  return PATH.exec(pathAndQuery)?.[1] ?? null
}

/** A parameter as clients write it, who may encode commas and colons. */
const SIMPLE_PARAMETER = /^(\w+)=((?:[\w,.:-]|%2C|%3A)+)$/i

/** A valid query of the usual kind; the app judges any other. */
function queryIn(question: string): PageQuery | null {
  const start = question.indexOf('?')
  const given = new Map<string, string>()
  for (const part of start === -1 ? [] : question.slice(start + 1).split('&')) {
    const [, name, value] = SIMPLE_PARAMETER.exec(part) ?? []
    if (name === undefined || value === undefined || given.has(name)) return null
    given.set(name, decodeURIComponent(value))
  }
  if (given.has('asOfBlock')) return null
  const parsed = pageQuery.safeParse(Object.fromEntries(given))
  return parsed.success ? parsed.data : null
}
