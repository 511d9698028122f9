import type { Status } from '../../../core/intent/status.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEventType } from '../../../src/event/chainEvent.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import type { EventUpdate } from '../subscriptions/publishEventUpdates.ts'
import type { IntentUpdate } from '../subscriptions/publishIntentUpdates.ts'
import type { Topic } from '../subscriptions/publishSubscribeTopic.ts'
import { pushEventSubscription } from './pushEventSubscription.ts'

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

export const subscriptionFields = {
  intentUpdated: {
    subscribe: (_: unknown, requested: IntentUpdatedArguments, context: GraphqlContext) =>
      follow(context.updates.intents, (update) => isRequested(update, requested), context),
    resolve: (update: IntentUpdate) => update,
  },
  events: {
    subscribe: (_: unknown, requested: EventsArguments, context: GraphqlContext) =>
      follow(context.updates.events, ({ event }) => isRequestedEvent(event, requested), context),
    resolve: (update: EventUpdate) => update,
  },
  pushEvents: pushEventSubscription,
}

function follow<Value>(
  topic: Topic<Value>,
  matches: (value: Value) => boolean,
  { updates, client, request }: GraphqlContext,
): AsyncIterableIterator<Value> {
  const { signal, leave } = updates.counts.take(client, request?.signal)
  return topic.subscribe(matches, { signal, onClose: leave })
}

/** An intent that a reorg removed matches any status, because a subscriber may have seen it with that status. */
function isRequested(update: IntentUpdate, requested: IntentUpdatedArguments): boolean {
  const { intent } = update
  const sender = intent ? intent.sender : update.sender
  const solver = intent ? intent.solver : update.solver
  return (
    (requested.id == null || requested.id === update.intentId) &&
    (requested.sender == null || requested.sender === sender) &&
    (requested.solver == null || requested.solver === solver) &&
    (requested.status == null || intent === null || intent.status().status === requested.status)
  )
}

function isRequestedEvent(event: EventUpdate['event'], requested: EventsArguments): boolean {
  return (
    (requested.type == null || requested.type === event.type) &&
    (requested.intentId == null || requested.intentId === event.intentId) &&
    (requested.chain == null || requested.chain === event.chainId)
  )
}
