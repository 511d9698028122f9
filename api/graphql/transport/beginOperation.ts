import type { ExecutionResult, FormattedExecutionResult, GraphQLFormattedError } from 'graphql'
import { readingFor } from '../../../services/store/database/fairShares.ts'

/** Answers to one operation: one to a query, any number to a subscription. */
export type Answers = AsyncIterableIterator<FormattedExecutionResult>

/** A refusal, before anything was read: what an HTTP response to the operation would say. */
export type Refusal = {
  status: number
  headers: Record<string, string>
  errors: readonly GraphQLFormattedError[]
}

type BegunOperation = { answers: Answers; refused: null } | { answers: null; refused: Refusal }

/** An operation as a client sent it, unchecked. */
export type Operation = {
  query?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: unknown
}

/** Begins an operation for a client, in whose share of the database all of its answers are read. Never throws. */
export type BeginOperation = (operation: Operation, client: string) => Promise<BegunOperation>

type Result = ExecutionResult | AsyncIterable<ExecutionResult>

/**
 * For transports that carry several operations over one connection.
 *
 * @param execute runs an operation through the same steps as a separate HTTP request
 */
export function createBeginOperation(
  execute: (operation: Operation, client: string, request: Request) => Promise<Result>,
  maskError: (error: unknown) => Error,
): BeginOperation {
  return async (operation, client) => {
    const leaving = new AbortController()
    // A subscription ends with its request's signal. The transport's own request carries many operations, so each
    // gets a request of its own.
    const request = new Request('http://cairn.invalid/graphql', {
      method: 'POST',
      signal: leaving.signal,
    })
    const result = await readingFor(client, () => execute(operation, client, request)).catch(
      (error: unknown): Result => ({ errors: [maskError(error) as never] }),
    )
    if (Symbol.asyncIterator in result) {
      return { answers: answersOf(result, leaving, client), refused: null }
    }
    const { errors = [], data } = result
    if (data === undefined && errors.length > 0) {
      const { status = 400, headers = {} } = (errors[0]?.extensions.http ?? {}) as Partial<Refusal>
      return { answers: null, refused: { status, headers, errors: errors.map(withoutHttp) } }
    }
    return { answers: answersOf(single(result), leaving, client), refused: null }
  }
}

async function* single(result: ExecutionResult): AsyncGenerator<ExecutionResult> {
  yield result
}

/** `return` ends a subscription at once, even while `next` is pending. */
function answersOf(
  results: AsyncIterable<ExecutionResult>,
  leaving: AbortController,
  client: string,
): Answers {
  const iterator = results[Symbol.asyncIterator]()
  const answers: Answers = {
    next: async () => {
      const result = await readingFor(client, () => iterator.next())
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

/** An error as clients see it: without `extensions.http`, which only sets the response's status and headers. */
function withoutHttp(error: NonNullable<ExecutionResult['errors']>[number]): GraphQLFormattedError {
  const { extensions = {}, ...rest } = error.toJSON()
  const { http: _, ...kept } = extensions
  return Object.keys(kept).length > 0 ? { ...rest, extensions: kept } : rest
}
