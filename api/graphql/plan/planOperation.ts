import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import type { GraphqlContext } from '../context.ts'
import { countEntries } from '../limits/countEntries.ts'
import { LIMITS } from '../limits/limits.ts'
import { fragmentsOf } from '../limits/measureDocument.ts'
import type { Piece } from './jsonPieces.ts'
import { objectWriter } from './jsonWriters.ts'
import { Unplanned } from './selectedFields.ts'

/** A query ready to run: everything that doesn't depend on the request is decided already. */
export type Plan = {
  /**
   * The answer's JSON, `{"data": …}`. Throws, or rejects, whenever graphql-js would report an error
   * or refuse the query; graphql-js then runs it.
   */
  run(context: GraphqlContext, variables: Readonly<Record<string, unknown>>): Piece
  /** Whether its answer holds until the index changes. */
  isKept: boolean
}

/**
 * Plans a query of a valid document; null for what graphql-js runs: subscriptions, introspection,
 * directives, and documents that don't say which of their operations is meant.
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
    const found = { isKept: true }
    const write = objectWriter(root, [operation.selectionSet], {
      fragments: fragmentsOf(document),
      listing: null,
      found,
    })
    const isWithinLimits = entryLimit(schema, document, operation, operationName)
    return {
      isKept: found.isKept,
      run: (context, given) => {
        const definitions = operation.variableDefinitions ?? []
        // A request has room for tens of thousands of wrong values, each with its own message.
        const { coerced } = getVariableValues(schema, definitions, given, { maxErrors: 1 })
        if (!coerced || !isWithinLimits(given)) throw new Unplanned()
        const piece = write({}, { context, variables: coerced })
        return typeof piece === 'string' ? dataOf(piece) : piece.then(dataOf)
      },
    }
  } catch {
    // What can't be planned, and constant arguments that are wrong.
    return null
  }
}

function dataOf(text: string): string {
  return `{"data":${text}}`
}

/** The worst case of the answer's size only depends on the variables that pages are sized by. */
function entryLimit(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  operationName: string | undefined,
): (variables: Readonly<Record<string, unknown>>) => boolean {
  const isWithin = (variables: Readonly<Record<string, unknown>>) =>
    countEntries({ schema, document, operationName, variables }) <= LIMITS.entries
  if (operation.variableDefinitions?.some(({ type }) => isInt(type))) return isWithin
  const always = isWithin({})
  return () => always
}

function isInt(type: unknown): boolean {
  return JSON.stringify(type).includes('"Int"')
}
