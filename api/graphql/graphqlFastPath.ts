import type { IncomingMessage } from 'node:http'
import type { FastPathAnswer, FastPathEndpoint } from '../http/fastPath.ts'
import { LIMITS } from './limits/limits.ts'
import type { PlannedQueryExecutor } from './queryPlan/plannedQueryExecutor.ts'

/** The response's content type by the request's `Accept`. Requests with other headers leave the fast path. */
const CONTENT_TYPES = new Map([
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
])

const JSON_BODY = /^application\/json *(; *charset=utf-8)?$/i

/** `POST /graphql` with a query in JSON. The app answers every other GraphQL request. */
export function createGraphqlFastPath(planned: PlannedQueryExecutor): FastPathEndpoint {
  return {
    route: '/graphql',
    handlerFor: (request) => {
      const { method, url, headers } = request
      if (method !== 'POST' || (url !== '/graphql' && url !== '/v1/graphql')) return null
      const contentType = CONTENT_TYPES.get(headers.accept ?? '')
      const size = Number(headers['content-length'] ?? Number.NaN)
      const isSimple =
        contentType !== undefined &&
        size <= LIMITS.bodyBytes &&
        headers['content-encoding'] === undefined &&
        JSON_BODY.test(headers['content-type'] ?? '')
      return isSimple ? (client) => respond(planned, request, client, contentType) : null
    },
  }
}

async function respond(
  planned: PlannedQueryExecutor,
  request: IncomingMessage,
  client: string,
  contentType: string,
): Promise<FastPathAnswer | null> {
  const body = await readWholeBody(request)
  const response = await planned(body.toString('utf8'), client)
  if (response === null) return null
  const headers = { 'content-type': `${contentType}; charset=utf-8`, ...response.headers }
  return { ...response, headers }
}

/**
 * Reads a request's body; the caller has checked its Content-Length. The app can read the body again, because
 * its server looks for `rawBody` first. Rejects if the client disconnects early.
 */
function readWholeBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', reject)
    request.on('close', () => reject(new Error('the client disconnected')))
    request.on('end', () => {
      const body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
      Object.assign(request, { rawBody: body })
      resolve(body)
    })
  })
}
