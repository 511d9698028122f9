import type { IncomingMessage } from 'node:http'
import type { FastPathAnswer, FastPathEndpoint } from '../http/fastPath.ts'
import { readWholeBody } from '../http/readWholeBody.ts'
import { LIMITS } from './limits/limits.ts'
import type { PlannedResponses } from './plan/plannedResponses.ts'

/** The content type for each of the usual `Accept` headers. */
const CONTENT_TYPES = new Map([
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
])

const JSON_BODY = /^application\/json *(; *charset=utf-8)?$/i

/** `POST /graphql` with a query in JSON; the app answers every other GraphQL request. */
export function graphqlFastPath(quick: PlannedResponses): FastPathEndpoint {
  return {
    route: '/graphql',
    handlerFor: (request) => {
      const { method, url, headers } = request
      if (method !== 'POST' || (url !== '/graphql' && url !== '/v1/graphql')) return null
      const contentType = CONTENT_TYPES.get(headers.accept ?? '')
      const size = Number(headers['content-length'] ?? Number.NaN)
      const isUsual =
        contentType !== undefined &&
        size <= LIMITS.bodyBytes &&
        headers['content-encoding'] === undefined &&
        JSON_BODY.test(headers['content-type'] ?? '')
      return isUsual ? (client) => answer(quick, request, client, contentType) : null
    },
  }
}

async function answer(
  quick: PlannedResponses,
  request: IncomingMessage,
  client: string,
  contentType: string,
): Promise<FastPathAnswer | null> {
  const body = await readWholeBody(request)
  const given = await quick(body.toString('utf8'), client)
  if (given === null) return null
  const headers = { 'content-type': `${contentType}; charset=utf-8`, ...given.headers }
  return { status: given.status, headers, body: given.body }
}
