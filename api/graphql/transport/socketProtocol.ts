import { GraphQLError, type GraphQLFormattedError, GraphQLSchema, parse } from 'graphql'
import type { ServerOptions } from 'graphql-ws'
import { readingFor } from '../../../services/store/database/fairShare.ts'
import { queryError } from '../errors/queryError.ts'
import type { BeginOperation } from './beginOperation.ts'
import type { TransportLimits } from './transportLimits.ts'

/** Whose socket it is. */
export type SocketOwner = {
  client: string
  /** Called with whether operations are under way, whenever that may have changed. */
  onBusy: (isBusy: boolean) => void
}

type SocketProtocolOptions = {
  beginOperation: BeginOperation
  takeRead: (client: string) => number | null
  limits: TransportLimits
}

/** The protocol looks for an operation's kind in a document: here every one is read as a stream. */
const AS_STREAM = { schema: new GraphQLSchema({}), document: parse('subscription { answers }') }

/** How messages of `graphql-transport-ws` become operations. Each counts as a read of its client's. */
export function socketProtocol({
  beginOperation,
  takeRead,
  limits,
}: SocketProtocolOptions): ServerOptions<Record<string, unknown>, SocketOwner> {
  return {
    connectionInitWaitTimeout: limits.beginMs,
    onConnect: (context) => {
      // A client's `connection_init` payload isn't kept.
      delete (context as { connectionParams?: unknown }).connectionParams
    },
    onSubscribe: async (context, id, payload) => {
      const { client, onBusy } = context.extra
      const underWay = Object.keys(context.subscriptions).length
      if (underWay > limits.operations) return [new Refusal(tooMany(limits.operations).toJSON())]
      const seconds = takeRead(client)
      if (seconds !== null) return [new Refusal(tooFast(seconds).toJSON())]
      onBusy(true)
      const { answers, refused } = await readingFor(client, () => beginOperation(payload, client))
      if (refused === null) return { ...AS_STREAM, rootValue: answers }
      onBusy(hasOthers(context.subscriptions, id))
      return refused.errors.map((error) => new Refusal(error))
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

/** An error as its client is to see it. */
class Refusal extends GraphQLError {
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
  const message = `a connection has at most ${limit} operations: end one first`
  return queryError('TOO_MANY_SUBSCRIPTIONS', message)
}

function tooFast(seconds: number): GraphQLError {
  const details = { retryAfter: seconds }
  return queryError('RATE_LIMITED', `too many operations: again in ${seconds} s`, { details })
}
