import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { withDeadline } from '../../http/withDeadline.ts'
import { notReady, queryError, queryTimeout } from '../errors/queryError.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { countWorstCaseEntries } from './countWorstCaseEntries.ts'
import { findVariablesProblem } from './findVariablesProblem.ts'
import type { LargeOperationTurns } from './largeOperationTurns.ts'
import { LIMITS } from './limits.ts'

type ExecutionArgs = {
  schema: GraphQLSchema
  document: DocumentNode
  operationName?: string | null | undefined
  variableValues?: Readonly<Record<string, unknown>> | null | undefined
  contextValue: GraphqlContext
}

/**
 * Refuses operations that ask for too much before anything is read, answers NOT_READY during the first backfill, and
 * times out slow queries.
 */
export function useLimits(
  inTurn: LargeOperationTurns,
  milliseconds: number = LIMITS.milliseconds,
): Plugin<GraphqlContext> {
  return {
    onExecute: ({ args, executeFn, setExecuteFn }) => {
      const entries = admit(args as unknown as ExecutionArgs)
      const operation = { client: args.contextValue.client, entries, milliseconds }
      setExecuteFn((given) =>
        within(
          milliseconds,
          inTurn(operation, () => executeFn(given)),
        ),
      )
    },
    onSubscribe: ({ args }) => void admit(args as unknown as ExecutionArgs),
  }
}

/** Returns the operation's entries in the worst case. */
function admit(args: ExecutionArgs): number {
  const { schema, document, operationName, variableValues, contextValue } = args
  const variables = variableValues
  const problem = findVariablesProblem(variables)
  if (problem !== null) throw queryError('BAD_USER_INPUT', problem, { status: 400 })
  const entries = countWorstCaseEntries({ schema, document, operationName, variables })
  if (entries > LIMITS.entries) {
    const message = `this query asks for up to ${entries} entries; at most ${LIMITS.entries} are allowed: ask for smaller pages`
    const details = { entries, limit: LIMITS.entries }
    throw queryError('QUERY_TOO_COSTLY', message, { status: 400, details })
  }
  if (contextValue.chains.ready.length === 0 && needsRows(document, operationName)) throw notReady()
  return entries
}

/** Fields that are answered before there is any data. */
const ALWAYS_ANSWERED = new Set(['_meta', '__schema', '__type', '__typename'])

/** Whether the operation needs data. Fragments count as needing it: clients don't query `_meta` through them. */
function needsRows(document: DocumentNode, operationName: string | null | undefined): boolean {
  const operation = getOperationAST(document, operationName)
  return !operation?.selectionSet.selections.every(
    (field) => field.kind === Kind.FIELD && ALWAYS_ANSWERED.has(field.name.value),
  )
}

/** Rejects with QUERY_TIMEOUT if the result takes too long. The database cancels the statement by its own timeout. */
export async function within<Result>(milliseconds: number, work: Result): Promise<Awaited<Result>> {
  const result = await withDeadline(milliseconds, Promise.resolve(work), LATE)
  if (result === LATE) throw queryTimeout()
  return result
}

const LATE = Symbol('late')
