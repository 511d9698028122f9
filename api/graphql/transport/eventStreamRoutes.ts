import type { OpenAPIHono } from '@hono/zod-openapi'
import { createEventStreamResponse, EVENT_STREAM_HEADERS } from '../../http/eventStreamResponse.ts'
import type { ApiContext, ApiEnv } from '../../http/honoEnvironment.ts'
import { readJsonBody } from '../../http/readJsonBody.ts'
import type { Operation } from './beginOperation.ts'
import { type EventStreams, StreamRefusal } from './eventStreams.ts'

const PATH = '/graphql/stream'
const TOKEN_HEADER = 'x-graphql-event-stream-token'

type EventStreamRoutes = {
  streams: EventStreams
  clientOf: (c: ApiContext) => string
  /** Answers a request without a token, which is a stream of its own (distinct connections mode). */
  answerAlone: (c: ApiContext) => Promise<Response>
}

/**
 * `/graphql/stream`: GraphQL over server-sent events in single connection mode (graphql-sse's protocol). PUT
 * reserves a stream, GET opens it, POST starts an operation on it, DELETE ends one.
 */
export function addEventStreamRoutes(
  app: OpenAPIHono<ApiEnv>,
  { streams, clientOf, answerAlone }: EventStreamRoutes,
): void {
  app.on(['PUT', 'GET', 'POST', 'DELETE'], PATH, async (c) => {
    c.set('route', PATH)
    const { method } = c.req
    const token = c.req.header(TOKEN_HEADER) ?? c.req.query('token')
    try {
      if (method === 'PUT') {
        return c.text(streams.reserve(clientOf(c)), 201, { 'cache-control': 'no-store' })
      }
      if (token === undefined) {
        if (method === 'DELETE') throw new StreamRefusal(404, `send the stream's ${TOKEN_HEADER}`)
        return await answerAlone(c)
      }
      // Hono answers HEAD like GET, and discards the body without reading it.
      if (method === 'HEAD') return new Response(null, { headers: EVENT_STREAM_HEADERS })
      if (method === 'GET') {
        return await createEventStreamResponse(
          (signal) => streams.open(token, signal),
          c.req.raw.signal,
        )
      }
      if (method === 'POST') return await run(c, streams, token, clientOf(c))
      streams.stop(token, c.req.query('operationId') ?? '')
      return c.body(null, 200)
    } catch (error) {
      if (error instanceof StreamRefusal) return refusal(c, error)
      throw error
    }
  })
}

async function run(
  c: ApiContext,
  streams: EventStreams,
  token: string,
  client: string,
): Promise<Response> {
  const operation = (await readJsonBody(c)) as Operation | null
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) {
    throw new StreamRefusal(400, 'the body: expected an object with query')
  }
  const refused = await streams.run(token, operation, client)
  if (refused === null) return c.body(null, 202)
  return c.json({ errors: refused.errors }, refused.status as 400, refused.headers)
}

const CODES = {
  400: 'BAD_USER_INPUT',
  404: 'STREAM_NOT_FOUND',
  409: 'STREAM_CONFLICT',
  429: 'TOO_MANY_SUBSCRIPTIONS',
} as const

function refusal(c: ApiContext, { status, message }: StreamRefusal): Response {
  if (status === 429) c.header('retry-after', '10')
  return c.json({ errors: [{ message, extensions: { code: CODES[status] } }] }, status)
}
