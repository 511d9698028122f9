import { findOperationId, TAGS } from './operationIds.ts'

// An OpenAPI document as plain JSON.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Json = any

/** An intent, a solver and an order for the documentation's examples. */
export type ExampleIntent = {
  intentId: string
  txHash: string
  sourceChain: string
  destChain: string
  tokenA: string
  tokenB: string
  amountA: string
  /** Null: the endpoint's own example is used. */
  solver: string | null
  order: string | null
}

/** Used until the index has a real intent. */
export const PLACEHOLDER_INTENT: ExampleIntent = {
  intentId: '1559420484664590925824001',
  txHash: `0x${'00'.repeat(32)}`,
  sourceChain: 'horizen_testnet',
  destChain: 'base_sepolia',
  tokenA: '0x0000000000000000000000000000000000000001',
  tokenB: '0x0000000000000000000000000000000000000002',
  amountA: '100000000',
  solver: null,
  order: null,
}

const METHODS = ['get', 'post', 'put', 'delete', 'patch'] as const

/**
 * Adds what all endpoints share: operation ids, tags, headers, and examples that can be sent unchanged.
 */
export function completeOpenApi(
  document: object,
  intent: ExampleIntent,
  operationIds?: Readonly<Record<string, string>>,
): object {
  const completed: Json = structuredClone(document)
  const operations = Object.entries(completed.paths as Json).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = (methods as Json)[method]
      return operation ? [{ path, method, operation }] : []
    }),
  )
  for (const { path, method, operation } of operations) {
    operation.operationId = findOperationId(method, path, operationIds)
    operation.description ??= `${operation.summary}.`
    operation.parameters = (operation.parameters ?? []).map((one: Json) => parameterOf(one, intent))
    describeAnswers(operation)
    describeBody(operation, completed.components.schemas, intent)
  }
  const used = new Set(operations.flatMap(({ operation }) => operation.tags as string[]))
  completed.tags = [...used].map((name) => ({ name, description: TAGS[name] ?? `${name}.` }))
  completed.security = []
  if (operations.some(({ operation }) => operation.security))
    completed.components.securitySchemes = { admin: { type: 'http', scheme: 'bearer' } }
  const { ETag, ...always } = HEADERS
  const isConditional = operations.some(({ operation }) => 304 in operation.responses)
  completed.components.headers = isConditional ? { ...always, ETag } : always
  for (const schema of Object.values(completed.components.schemas)) fixExamples(schema)
  return completed
}

/**
 * swagger-ui fills in each parameter's example. Optional parameters get none, or every request would use all
 * filters at once; their example moves to the description.
 */
function parameterOf(parameter: Json, intent: ExampleIntent): Json {
  const { example, ...schema } = parameter.schema
  const { description, required, name } = parameter
  if (!required) {
    const such = example === undefined ? '' : `For example \`${example}\`.`
    const words = [description, such].filter(Boolean).join(' ')
    return { ...parameter, schema, ...(words && { description: words }) }
  }
  const { intentId, txHash, solver, order, ...terms } = intent
  const own = {
    intentId,
    id: intentId,
    txHash,
    ...(parameter.in === 'query' && terms),
    ...(parameter.in === 'path' && { address: solver, orderId: order }),
  }
  const shown = own[name as keyof typeof own] ?? example
  return { ...parameter, schema, ...(shown !== undefined && { example: shown }) }
}

/** Adds an example body with the required fields only. */
function describeBody(operation: Json, schemas: Json, intent: ExampleIntent): void {
  const content = operation.requestBody?.content?.['application/json']
  if (!content) return
  const name = content.schema.$ref?.split('/').at(-1)
  const schema = name === undefined ? content.schema : schemas[name]
  const own = { intentId: intent.intentId, network: intent.destChain }
  const required: string[] = schema.required ?? []
  const entries = required.map((field) => {
    const { example, type } = schema.properties?.[field] ?? {}
    const value = own[field as keyof typeof own] ?? example
    return [field, type === 'string' && typeof value === 'number' ? String(value) : value] as const
  })
  if (entries.some(([, value]) => value === undefined)) return
  content.example = Object.fromEntries(entries)
}

const HEADERS = {
  RequestId: header('Identifies the request in the operator’s log: the id you sent, or a new one.'),
  RateLimit: header(
    'For each limit: requests left (`r`), and seconds until all are available again (`t`).',
  ),
  RateLimitPolicy: header('For each limit: requests allowed (`q`) in a window of seconds (`w`).'),
  RetryAfter: header('Seconds to wait before you repeat the request.', 'integer'),
  ETag: header('Send it as If-None-Match: the answer is an empty 304 until something changes.'),
  CacheControl: header('Whether and how long to cache the answer.'),
  Vary: header('The answer depends on this request header.'),
}

function header(description: string, type: 'string' | 'integer' = 'string') {
  return { description, schema: { type } }
}

const ref = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })

function describeAnswers(operation: Json): void {
  const isConditional = 304 in operation.responses
  if (isConditional) {
    operation.parameters.push({
      name: 'If-None-Match',
      in: 'header',
      required: false,
      schema: { type: 'string' },
      description: 'The ETag of an earlier answer.',
    })
  }
  for (const [status, answer] of Object.entries<Json>(operation.responses)) {
    answer.headers = {
      ...answer.headers,
      'X-Request-Id': ref('RequestId'),
      RateLimit: ref('RateLimit'),
      'RateLimit-Policy': ref('RateLimitPolicy'),
      'Cache-Control': ref('CacheControl'),
      Vary: ref('Vary'),
      ...(isConditional && (status === '200' || status === '304') && { ETag: ref('ETag') }),
      ...((status === '429' || status === '503') && { 'Retry-After': ref('RetryAfter') }),
    }
  }
}

/** Strings that are accepted as numbers too have number examples, which don't match their schema. */
function fixExamples(schema: Json): void {
  if (typeof schema !== 'object' || schema === null) return
  if (schema.type === 'string' && typeof schema.example === 'number')
    schema.example = String(schema.example)
  for (const inner of Object.values(schema)) fixExamples(inner)
}
