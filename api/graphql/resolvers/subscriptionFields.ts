import type { Status } from '../../../core/intent/status.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEventType } from '../../../src/event/chainEvent.ts'
import type { GraphqlContext } from '../context.ts'
import type { EventUpdate } from '../subscriptions/followEvents.ts'
import type { IntentUpdate } from '../subscriptions/followIntents.ts'
import type { Topic } from '../subscriptions/topic.ts'
import { pushEvents } from './pushEventFields.ts'

type IntentUpdatedArguments = {
  id?: bigint | null
  sender?: Hex | null
  solver?: Hex | null
  status?: Status | null
}

type EventsArguments = {
  type?: ChainEventType | null
  intentId?: bigint | null
  chain?: number | null
}

/** Fields of `Subscription`. */
export const subscriptionFields = {
  intentUpdated: {
    subscribe: (_: unknown, wanted: IntentUpdatedArguments, context: GraphqlContext) =>
      follow(context.updates.intents, (update) => isWanted(update, wanted), context),
    resolve: (update: IntentUpdate) => update,
  },
  events: {
    subscribe: (_: unknown, wanted: EventsArguments, context: GraphqlContext) =>
      follow(context.updates.events, ({ event }) => isWantedEvent(event, wanted), context),
    resolve: (update: EventUpdate) => update,
  },
  pushEvents,
}

function follow<Value>(
  topic: Topic<Value>,
  matches: (value: Value) => boolean,
  { updates, client, request }: GraphqlContext,
): AsyncIterableIterator<Value> {
  const leave = updates.counts.take(client)
  return topic.subscribe(matches, { signal: request?.signal, onClose: leave })
}

/** An intent that is gone has no status: it concerns everyone who may have seen it. */
function isWanted(update: IntentUpdate, wanted: IntentUpdatedArguments): boolean {
  const { intent } = update
  const sender = intent ? intent.sender : update.sender
  const solver = intent ? intent.solver : update.solver
  return (
    (wanted.id == null || wanted.id === update.intentId) &&
    (wanted.sender == null || wanted.sender === sender) &&
    (wanted.solver == null || wanted.solver === solver) &&
    (wanted.status == null || intent === null || intent.status().status === wanted.status)
  )
}

function isWantedEvent(event: EventUpdate['event'], wanted: EventsArguments): boolean {
  return (
    (wanted.type == null || wanted.type === event.type) &&
    (wanted.intentId == null || wanted.intentId === event.intentId) &&
    (wanted.chain == null || wanted.chain === event.chainId)
  )
}
