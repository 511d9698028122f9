import { conditionalAnswer } from '../../http/conditionalResponse.ts'
import type { FastPathAnswer, FastPathEndpoint } from '../../http/fastPath.ts'
import type { ReadContext } from '../readContext.ts'
import { type IntentListQuery, intentListQuery } from './intentListQuery.ts'
import { renderIntentListAnswer } from './renderIntentListAnswer.ts'

/** A request for a list of intents. Longer ones aren't cached. */
const PATH = /^(?:\/v1)?(\/intents(?:\?[^#]{0,500})?)$/

/** `GET /intents` without `asOfBlock`: cached until anything changes. */
export function createIntentListFastPath(reads: ReadContext): FastPathEndpoint {
  const { pages } = reads
  const read = async (key: string, ifNoneMatch: string | undefined) => {
    const query = queryOf(key)
    if (query === null) return null
    const startedAt = pages.revision()
    const page = await renderIntentListAnswer(reads, query)
    pages.set(key, page, page.body.length, startedAt)
    return conditionalAnswer(page, ifNoneMatch)
  }
  const answer = (
    key: string,
    ifNoneMatch: string | undefined,
  ): FastPathAnswer | Promise<FastPathAnswer | null> => {
    const page = pages.get(key)
    return page ? conditionalAnswer(page, ifNoneMatch) : read(key, ifNoneMatch)
  }
  return {
    route: '/intents',
    handlerFor: ({ method, url = '', headers }) => {
      const key = method === 'GET' ? PATH.exec(url)?.[1] : undefined
      return key === undefined ? null : () => answer(key, headers['if-none-match'])
    },
  }
}

/** A parameter whose value is plain text; clients may encode commas and colons. */
const SIMPLE_PARAMETER = /^(\w+)=((?:[\w,.:-]|%2C|%3A)+)$/i

/** A page's query, if it is valid and simple. The app handles all others. @param key path and query */
function queryOf(key: string): IntentListQuery | null {
  const start = key.indexOf('?')
  const parameters = new Map<string, string>()
  for (const part of start === -1 ? [] : key.slice(start + 1).split('&')) {
    const [, name, value] = SIMPLE_PARAMETER.exec(part) ?? []
    if (name === undefined || value === undefined || parameters.has(name)) return null
    parameters.set(name, decodeURIComponent(value))
  }
  if (parameters.has('asOfBlock')) return null
  const parsed = intentListQuery.safeParse(Object.fromEntries(parameters))
  return parsed.success ? parsed.data : null
}
