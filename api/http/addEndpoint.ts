import type { OpenAPIHono } from '@hono/zod-openapi'
import { z } from 'zod'
import type { ApiContext, ApiEnv } from './apiEnv.ts'
import { BadRequestError } from './apiError.ts'
import { conditionalResponse, type Rendered, render } from './conditionalResponse.ts'
import { ERROR_RESPONSES } from './errorResponse.ts'
import { readJson } from './readBody.ts'
import { repeatableName } from './repeatableName.ts'

/** What endpoints are added to. */
export type App = OpenAPIHono<ApiEnv>

/** One endpoint: its input and answer, for documentation and validation. */
type Endpoint<Params, Query, Body> = {
  method: 'get' | 'post' | 'delete'
  /** With parameters in braces: `/intents/{id}/events`. */
  path: string
  tag: string
  summary: string
  description?: string
  params?: z.ZodType<Params>
  /** Strict: a parameter that isn't in it is refused. Without it the endpoint takes none. */
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
  /** No body counts as `{}`. */
  isBodyOptional?: boolean
  /** Headers that it reads, for the documentation: their names in lower case. */
  headers?: z.ZodObject
  /** Needs the admin's bearer token. */
  isForAdmins?: boolean
  /** Shape of the 200 answer. */
  answer: z.ZodType
  /** Default JSON. */
  answerType?: string
  /** Answers carry an entity tag; a client that has the same answer gets 304. */
  isConditional?: boolean
  /** `Cache-Control` of answers. Default `no-store`, of conditional ones see `conditionalAnswer`. */
  cacheControl?: string
  /**
   * Statuses of failures in addition to 400, 429 and 500, and to 413 and 415 where there is a body.
   */
  failures?: (401 | 403 | 404 | 503)[]
  /**
   * Runs before anything else of the request is read: an unauthorised caller learns nothing more.
   */
  before?: (c: ApiContext) => void
  /**
   * Gives the answer without `success`, or, ready to be sent, with it.
   *
   * @param input what came in path, query and body, all in one
   */
  handler: (input: Params & Query & Body, c: ApiContext) => Promise<object | Rendered | Response>
}

/** Adds an endpoint to the app and to its OpenAPI document. */
export function addEndpoint<Params, Query, Body>(
  app: App,
  endpoint: Endpoint<Params, Query, Body>,
): void {
  const { method, path, params, query, body, isConditional, cacheControl } = endpoint
  const saysSuccess = endpoint.answer instanceof z.ZodObject && 'success' in endpoint.answer.shape
  describe(app, endpoint)
  app.on(method.toUpperCase(), [path.replaceAll(/\{(\w+)\}/g, ':$1')], async (c) => {
    c.set('route', path)
    endpoint.before?.(c)
    const input = {
      ...(params && parse(params, c.req.param(), 'path')),
      ...parseQuery(query, c),
      ...(body && parse(body, await readJson(c, endpoint.isBodyOptional), 'body')),
    }
    const given = await endpoint.handler(input as Params & Query & Body, c)
    if (given instanceof Response) return given
    const ifNoneMatch = c.req.header('if-none-match')
    if ('etag' in given) return conditionalResponse(given as Rendered, ifNoneMatch, cacheControl)
    const answer = saysSuccess ? { success: true, ...given } : given
    if (isConditional) return conditionalResponse(render(answer), ifNoneMatch, cacheControl)
    c.header('cache-control', cacheControl ?? 'no-store')
    return c.json(answer)
  })
}

function parseQuery<Query>(schema: z.ZodType<Query> | undefined, c: ApiContext): Query | null {
  const given = c.req.url.includes('?') ? c.req.queries() : {}
  const values: Record<string, string> = {}
  for (const [name, [first, ...more]] of Object.entries(given)) {
    if (more.length > 0)
      throw invalid('query', [{ path: repeatableName(name), message: 'was given twice' }])
    if (!schema)
      throw invalid('query', [{ path: repeatableName(name), message: 'is not known here' }])
    Object.defineProperty(values, name, { value: first, enumerable: true })
  }
  return schema ? parse(schema, values, 'query') : null
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown, place: string): Value {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap(problemsOf).slice(0, 20)
  throw invalid(place, problems)
}

type Problem = { path: string; message: string }

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: repeatableName(key), message: 'is not known here' }))
  }
  const message = issue.message.replace(/^Invalid input: /, '').slice(0, 200)
  return [{ path: issue.path.map(repeatableName).join('.'), message }]
}

function invalid(place: string, problems: Problem[]): BadRequestError {
  const first = problems[0]
  const words = first ? `: ${first.path === '' ? '' : `${first.path}: `}${first.message}` : ''
  return new BadRequestError(`invalid ${place}${words}`, 'INVALID_REQUEST', problems)
}

function describe<P, Q, B>(app: App, endpoint: Endpoint<P, Q, B>): void {
  const { method, path, tag, summary, description, params, query, headers, body, answer } = endpoint
  const { isConditional } = endpoint
  const json = (schema: z.ZodType) => ({ 'application/json': { schema } })
  const ofBody = body ? ([413, 415] as const) : []
  const errors = [400, ...(endpoint.failures ?? []), ...ofBody, 429, 500] as const
  app.openAPIRegistry.registerPath({
    method,
    path,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(endpoint.isForAdmins && { security: [{ admin: [] }] }),
    request: {
      ...(params && { params: params as never }),
      ...(query && { query: query as never }),
      ...(headers && { headers: headers as never }),
      ...(body && { body: { required: !endpoint.isBodyOptional, content: json(body) } }),
    },
    responses: {
      200: {
        description: 'OK',
        content: { [endpoint.answerType ?? 'application/json']: { schema: answer } },
      },
      ...(isConditional && { 304: { description: 'Nothing has changed since that answer.' } }),
      ...Object.fromEntries(errors.map((status) => [status, ERROR_RESPONSES[status]])),
    },
  })
}
