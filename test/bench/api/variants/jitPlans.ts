import { type GraphQLSchema, getOperationAST, Kind, validate } from 'graphql'
import { countWorstCaseEntries } from '../../../../api/graphql/limits/countWorstCaseEntries.ts'
import { LIMITS } from '../../../../api/graphql/limits/limits.ts'
import { parseQuery } from '../../../../api/graphql/limits/parseQuery.ts'
import type { Plan } from '../../../../api/graphql/queryPlan/planOperation.ts'
import type * as replaced from '../../../../api/graphql/queryPlan/queryPlanCache.ts'
import { createLruCache } from '../../../../services/store/cache/lruCache.ts'
import { createCompiler } from './compileQuery.ts'

/** Plans of the same kind, each compiled by graphql-jit. Priced fields aside, which the bench doesn't ask for. */
export const createQueryPlanCache: typeof replaced.createQueryPlanCache = (schema) => {
  const plans = createLruCache<string, { plan: Plan | null }>(32 * 2 ** 20)
  const compile = createCompiler(schema)
  return (query, operationName) => {
    const key = `${operationName ?? ''}:${query}`
    const known = plans.get(key)
    if (known) return known.plan
    const plan = createPlan(schema, compile, query, operationName)
    plans.set(key, { plan }, 60 * key.length)
    return plan
  }
}

function createPlan(
  schema: GraphQLSchema,
  compile: ReturnType<typeof createCompiler>,
  query: string,
  operationName: string | undefined,
): Plan | null {
  const document = parseQuery(query)
  if (validate(schema, document, undefined, { maxErrors: 1 }).length > 0) return null
  const operation = getOperationAST(document, operationName)
  if (operation?.operation !== 'query') return null
  const compiled = compile(document, operationName)
  const fields = operation.selectionSet.selections.filter(({ kind }) => kind === Kind.FIELD)
  return {
    isCacheable: !fields.some((field) => 'name' in field && field.name.value === '_meta'),
    countEntries: () => 0,
    run: async (context, variables) => {
      if (countWorstCaseEntries({ schema, document, operationName, variables }) > LIMITS.entries)
        throw new Error('too large')
      const result = await compiled.query({}, context, variables)
      if (result.errors) throw new Error('an error in the answer')
      return compiled.stringify(result)
    },
  }
}
