import { type GraphQLSchema, validate } from 'graphql'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import { parseQuery } from '../limits/parseQuery.ts'
import { type Plan, planOperation } from './planOperation.ts'

const CACHE_BYTES = 32 * 2 ** 20

/** Rough memory per character of a query: of its plan, or of knowing that it has none. */
const PLAN_BYTES = 60
const NO_PLAN_BYTES = 2

/** Finds a query's plan by its text, and makes it only once. Null if graphql-js must run, or refuse, the query. */
export function createQueryPlanCache(
  schema: GraphQLSchema,
): (query: string, operationName: string | undefined) => Plan | null {
  const plans = createLruCache<string, { plan: Plan | null }>(CACHE_BYTES)
  return (query, operationName) => {
    const key =
      operationName === undefined ? `:${query}` : `${operationName.length}:${operationName}${query}`
    const cached = plans.get(key)
    if (cached) return cached.plan
    const plan = createPlan(schema, query, operationName)
    plans.set(key, { plan }, key.length * (plan ? PLAN_BYTES : NO_PLAN_BYTES))
    return plan
  }
}

function createPlan(
  schema: GraphQLSchema,
  query: string,
  operationName: string | undefined,
): Plan | null {
  try {
    const document = parseQuery(query)

    if (validate(schema, document, undefined, { maxErrors: 1 }).length > 0) return null
    return planOperation(schema, document, operationName)
  } catch {
    return null
  }
}
