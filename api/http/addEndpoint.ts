import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { BadRequestError } from './apiError.ts'
import { createConditionalResponse, type Rendered, render } from './conditionalResponse.ts'
import { ERROR_RESPONSES } from './errorResponse.ts'
import type { ApiContext, ApiEnv } from './honoEnvironment.ts'
import { readJsonBody } from './readJsonBody.ts'
import { redactFieldName } from './redactFieldName.ts'

export type App = OpenAPIHono<ApiEnv>

/** An endpoint: its input and answer, for validation and documentation. */
type Endpoint<Params, Query, Body> = {
  method: 'get' | 'post' | 'delete'
  /** With parameters in braces: `/intents/{id}/events`. */
  path: string
  tag: string
  summary: string
  description?: string
  params?: z.ZodType<Params>
  /** Must be strict, so that unknown parameters are refused. Without it the endpoint takes none. */
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
  /** An empty body counts as `{}`. */
  isBodyOptional?: boolean
  /** The headers that the handler reads, in lower case; for documentation only. */
  headers?: z.ZodObject
  /** Documents that a bearer token is needed. `before` checks it. */
  isForAdmins?: boolean
  /** The body of the 200 answer. */
  answer: z.ZodType
  /** Content type of the answer. Default JSON. */
  answerType?: string
  /** Whether answers have an entity tag, so that clients can revalidate (304). */
  isConditional?: boolean
  /** `Cache-Control` of answers. Default `no-store`; for conditional ones see `conditionalAnswer`. */
  cacheControl?: string
  /** Documented failures, in addition to 400, 429, 500 and, with a body, 413 and 415. */
  failures?: (401 | 403 | 404 | 503)[]
  /** Runs before the input is validated, so that an unauthorized caller learns nothing from it. */
  before?: (c: ApiContext) => void
  /**
   * Returns the answer without `success`, or a complete response.
   *
   * @param input path parameters, query and body, merged
   */
  handler: (input: Params & Query & Body, c: ApiContext) => Promise<object | Rendered | Response>
}

/** An answer's body with these fields, and `success`, which the endpoint adds. */
export function success<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.object({ success: z.literal(true), ...fields })
}

/** Adds an endpoint to the app and to its OpenAPI document. */
export function addEndpoint<Params, Query, Body>(
  app: App,
  endpoint: Endpoint<Params, Query, Body>,
): void {
  const { method, path, params, query, body, isConditional, cacheControl } = endpoint
  const hasSuccess = endpoint.answer instanceof z.ZodObject && 'success' in endpoint.answer.shape
  describe(app, endpoint)
  app.on(method.toUpperCase(), [path.replaceAll(/\{(\w+)\}/g, ':$1')], async (c) => {
    c.set('route', path)
    endpoint.before?.(c)
    const input = {
      ...(params && parse(params, c.req.param(), 'path')),
      ...parseQuery(query, c),
      ...(body && parse(body, await readJsonBody(c, endpoint.isBodyOptional), 'body')),
    }
    const result = await endpoint.handler(input as Params & Query & Body, c)
    if (result instanceof Response) return result
    const ifNoneMatch = c.req.header('if-none-match')
    if ('etag' in result)
      return createConditionalResponse(result as Rendered, ifNoneMatch, cacheControl)
    const answer = hasSuccess ? { success: true, ...result } : result
    if (isConditional) return createConditionalResponse(render(answer), ifNoneMatch, cacheControl)
    c.header('cache-control', cacheControl ?? 'no-store')
    return c.json(answer)
  })
}

function parseQuery<Query>(schema: z.ZodType<Query> | undefined, c: ApiContext): Query | null {
  const parameters = c.req.url.includes('?') ? c.req.queries() : {}
  const values: Record<string, string> = {}
  for (const [name, [first, ...more]] of Object.entries(parameters)) {
    if (more.length > 0)
      throw invalid('query', [{ path: redactFieldName(name), message: 'was given twice' }])
    if (!schema)
      throw invalid('query', [{ path: redactFieldName(name), message: 'is not known here' }])
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
    return issue.keys.map((key) => ({ path: redactFieldName(key), message: 'is not known here' }))
  }
  return [
    { path: issue.path.map(redactFieldName).join('.'), message: describeProblem(issue.message) },
  ]
}

/** Long enough to list the types of events. */
const MAX_PROBLEM_LENGTH = 400

/** Says it more plainly than zod does. */
function describeProblem(message: string): string {
  if (message.endsWith('received undefined')) return 'is missing'
  const words = message.replace(/^Invalid (input|option): /, '').replaceAll('"|"', '", "')
  return words.slice(0, MAX_PROBLEM_LENGTH)
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
      ...(isConditional && {
        304: { description: 'Nothing has changed since the answer with that ETag.' },
      }),
      ...Object.fromEntries(errors.map((status) => [status, ERROR_RESPONSES[status]])),
    },
  })
}
