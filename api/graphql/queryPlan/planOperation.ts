import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import type { GraphqlContext } from '../graphqlContext.ts'
import { countWorstCaseEntries } from '../limits/countWorstCaseEntries.ts'
import { fragmentsOf } from '../limits/measureDocument.ts'
import { Unplanned } from './collectFields.ts'
import type { Piece } from './joinJson.ts'
import { createJsonObjectWriter } from './jsonObjectWriter.ts'

/** A query that is ready to run. */
export type Plan = {
  /**
   * Returns the answer's JSON, `{"data": …}`. Throws or rejects whenever graphql-js would report an error or refuse
   * the query; graphql-js then runs it.
   */
  run(context: GraphqlContext, variables: Readonly<Record<string, unknown>>): Piece
  /** The answer's entries in the worst case. The caller refuses too many. */
  countEntries(variables: Readonly<Record<string, unknown>>): number
  /** Whether the answer stays valid until the index changes. */
  isCacheable: boolean
}

/**
 * Plans a query of a valid document. Null for what graphql-js must run: subscriptions, introspection, directives, and
 * documents with several operations of which none is named.
 */
export function planOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): Plan | null {
  const operation = getOperationAST(document, operationName)
  const root = schema.getQueryType()
  if (!operation || !root || operation.operation !== 'query') return null
  if (operation.directives && operation.directives.length > 0) return null
  try {
    const caching = { isCacheable: true }
    const write = createJsonObjectWriter(root, [operation.selectionSet], {
      fragments: fragmentsOf(document),
      caching,
    })
    return {
      isCacheable: caching.isCacheable,
      countEntries: entryCounter(schema, document, operation, operationName),
      run: (context, raw) => {
        const definitions = operation.variableDefinitions ?? []
        // A request can hold tens of thousands of invalid values, each of which would get a message.
        const { coerced } = getVariableValues(schema, definitions, raw, { maxErrors: 1 })
        if (!coerced) throw new Unplanned()
        const piece = write({}, { context, variables: coerced })
        return typeof piece === 'string' ? dataOf(piece) : piece.then(dataOf)
      },
    }
  } catch {
    // It can't be planned, or has an invalid constant argument.
    return null
  }
}

function dataOf(text: string): string {
  return `{"data":${text}}`
}

/** Counts once, unless integer variables may size pages. */
function entryCounter(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  operationName: string | undefined,
): Plan['countEntries'] {
  const count = (variables: Readonly<Record<string, unknown>>) =>
    countWorstCaseEntries({ schema, document, operationName, variables })
  if (operation.variableDefinitions?.some(({ type }) => isInt(type))) return count
  const always = count({})
  return () => always
}

function isInt(type: unknown): boolean {
  return JSON.stringify(type).includes('"Int"')
}
