import type { ExecutionResult, FormattedExecutionResult, GraphQLFormattedError } from 'graphql'

/** Answers to one operation: one to a query, any number to a subscription. */
export type Answers = AsyncIterableIterator<FormattedExecutionResult>

/** The result of beginning an operation: under way, or refused before anything was read for it. */
type Begun =
  | { answers: Answers; refused: null }
  | { answers: null; refused: { status: number; errors: readonly GraphQLFormattedError[] } }

/** An operation as a client sent it, unchecked. */
export type Operation = {
  query?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: unknown
}

/** Begins an operation for a client. Never throws. */
export type BeginOperation = (operation: Operation, client: string) => Promise<Begun>

type Result = ExecutionResult | AsyncIterable<ExecutionResult>

/**
 * Makes what begins operations for transports that carry several of them over one connection.
 *
 * @param execute the same steps that a request of its own goes through
 * @param maskError decides what a client sees of an error
 */
export function createBeginOperation(
  execute: (operation: Operation, client: string, request: Request) => Promise<Result>,
  maskError: (error: unknown) => Error,
): BeginOperation {
  return async (operation, client) => {
    const leaving = new AbortController()
    // What a subscription ends by; a request of the transport's own carries many.
    const request = new Request('http://cairn.invalid/graphql', {
      method: 'POST',
      signal: leaving.signal,
    })
    const result = await execute(operation, client, request).catch(
      (error: unknown): Result => ({ errors: [maskError(error) as never] }),
    )
    if (Symbol.asyncIterator in result) {
      return { answers: answersOf(result, leaving), refused: null }
    }
    const { errors = [], data } = result
    if (data === undefined && errors.length > 0) {
      const { status = 400 } = (errors[0]?.extensions.http ?? {}) as { status?: number }
      return { answers: null, refused: { status, errors: errors.map(withoutHttp) } }
    }
    return { answers: answersOf(only(result), leaving), refused: null }
  }
}

async function* only(result: ExecutionResult): AsyncGenerator<ExecutionResult> {
  yield result
}

/** A client that leaves ends its subscription at once, even while the next answer is awaited. */
function answersOf(results: AsyncIterable<ExecutionResult>, leaving: AbortController): Answers {
  const iterator = results[Symbol.asyncIterator]()
  const answers: Answers = {
    next: async () => {
      const result = await iterator.next()
      return result.done
        ? { value: undefined, done: true }
        : { value: formatted(result.value), done: false }
    },
    return: async () => {
      leaving.abort()
      await iterator.return?.()
      return { value: undefined, done: true }
    },
    [Symbol.asyncIterator]: () => answers,
  }
  return answers
}

function formatted({ data, errors, extensions }: ExecutionResult): FormattedExecutionResult {
  return {
    ...(data !== undefined && { data }),
    ...(errors && { errors: errors.map(withoutHttp) }),
    ...(extensions && { extensions }),
  }
}

/** The part of an error for clients, without what concerns HTTP headers. */
function withoutHttp(error: NonNullable<ExecutionResult['errors']>[number]): GraphQLFormattedError {
  const { extensions = {}, ...rest } = error.toJSON()
  const { http: _, ...kept } = extensions
  return Object.keys(kept).length > 0 ? { ...rest, extensions: kept } : rest
}
