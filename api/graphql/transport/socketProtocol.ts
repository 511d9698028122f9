import { GraphQLError, type GraphQLFormattedError, GraphQLSchema, parse } from 'graphql'
import type { ServerOptions } from 'graphql-ws'
import { queryError } from '../errors/queryError.ts'
import type { BeginOperation } from './beginOperation.ts'
import type { TransportLimits } from './transportLimits.ts'

/** What the protocol knows of a socket. */
export type SocketContext = {
  client: string
  /** Called whenever the socket may have become busy or idle: whether operations are running. */
  onBusy: (isBusy: boolean) => void
}

type SocketProtocolOptions = {
  beginOperation: BeginOperation
  takeRead: (client: string) => number | null
  limits: TransportLimits
}

/** graphql-ws derives an operation's type from a document. Every operation here has a stream of answers. */
const AS_STREAM = { schema: new GraphQLSchema({}), document: parse('subscription { answers }') }

/** Runs the operations of `graphql-transport-ws`. Each counts against its client's rate limit for reads. */
export function createSocketProtocol({
  beginOperation,
  takeRead,
  limits,
}: SocketProtocolOptions): ServerOptions<Record<string, unknown>, SocketContext> {
  return {
    connectionInitWaitTimeout: limits.beginMs,
    onConnect: (context) => {
      // The `connection_init` payload may hold credentials, which nothing here needs.
      delete (context as { connectionParams?: unknown }).connectionParams
    },
    onSubscribe: async (context, id, payload) => {
      const { client, onBusy } = context.extra
      const running = Object.keys(context.subscriptions).length
      if (running > limits.operations) return [new ShownError(tooMany(limits.operations).toJSON())]
      const seconds = takeRead(client)
      if (seconds !== null) return [new ShownError(tooFast(seconds).toJSON())]
      onBusy(true)
      const { answers, refused } = await beginOperation(payload, client)
      if (refused === null) return { ...AS_STREAM, rootValue: answers }
      onBusy(hasOthers(context.subscriptions, id))
      return refused.errors.map((error) => new ShownError(error))
    },
    subscribe: ({ rootValue }) => rootValue as never,
    onNext: (_context, _id, _payload, _args, result) => result as never,
    onComplete: ({ subscriptions, extra }, id) => {
      extra.onBusy(hasOthers(subscriptions, id))
    },
  }
}

function hasOthers(subscriptions: object, id: string): boolean {
  return Object.keys(subscriptions).some((other) => other !== id)
}

/** Sends an error exactly as it was formatted. */
class ShownError extends GraphQLError {
  readonly #shown: GraphQLFormattedError

  constructor(shown: GraphQLFormattedError) {
    super(shown.message)
    this.#shown = shown
  }

  override toJSON(): GraphQLFormattedError {
    return this.#shown
  }
}

function tooMany(limit: number): GraphQLError {
  const message = `a connection can have at most ${limit} operations: end one first`
  return queryError('TOO_MANY_SUBSCRIPTIONS', message)
}

function tooFast(seconds: number): GraphQLError {
  const details = { retryAfter: seconds }
  return queryError('RATE_LIMITED', `too many operations: try again in ${seconds} s`, { details })
}
