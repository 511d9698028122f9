import { type GraphQLSchema, validate } from 'graphql'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import { parseQuery } from '../limits/parseQuery.ts'
import { type Plan, planOperation } from './planOperation.ts'

/** Bytes that plans may take in memory. */
const ROOM = 32 * 2 ** 20

/** What a plan takes for each character of its query, roughly; and what remembering that there is none takes. */
const PLAN_BYTES = 60
const NO_PLAN_BYTES = 2

/**
 * The plan of a query by its text, made once; null for queries without one: those that graphql-js
 * refuses, and those that it should run itself.
 */
export function createPlans(
  schema: GraphQLSchema,
): (query: string, operationName: string | undefined) => Plan | null {
  const plans = createLruCache<string, { plan: Plan | null }>(ROOM)
  return (query, operationName) => {
    const key =
      operationName === undefined ? `:${query}` : `${operationName.length}:${operationName}${query}`
    const known = plans.get(key)
    if (known) return known.plan
    const plan = planned(schema, query, operationName)
    plans.set(key, { plan }, key.length * (plan ? PLAN_BYTES : NO_PLAN_BYTES))
    return plan
  }
}

function planned(
  schema: GraphQLSchema,
  query: string,
  operationName: string | undefined,
): Plan | null {
  try {
    const document = parseQuery(query)
    // One complaint is enough.
    if (validate(schema, document, undefined, { maxErrors: 1 }).length > 0) return null
    return planOperation(schema, document, operationName)
  } catch {
    return null
  }
}
