import { PUSH_TYPES, toPushEventId } from '../../../core/push/pushEvent.ts'
import type { JournalLine } from '../../../services/store/push/readPushJournal.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type Missed, tailPushEventJournal } from '../../rest/events/tailPushEventJournal.ts'
import { queryError } from '../errors/queryError.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { missedChanges } from '../subscriptions/subscriptionErrors.ts'
import { intentOf } from './intentNode.ts'

type PushEventsArguments = {
  intents?: readonly bigint[] | null
  sender?: Hex | null
  solver?: Hex | null
  chain?: number | null
  types?: readonly string[] | null
  after?: string | null
}

/** Intents that one subscription can name. */
const MAX_INTENTS = 100

export const pushEventSubscription = {
  subscribe: async (_: unknown, requested: PushEventsArguments, context: GraphqlContext) => {
    const { db, journal, updates, client, request } = context
    const { filter, after } = filterOf(requested)
    const { signal, leave } = updates.counts.take(client, request?.signal)
    const options = { db, hub: journal, filter, after, signal, onClose: leave }
    return tailPushEventJournal(options).catch((error: unknown) => {
      leave()
      throw error
    })
  },
  resolve: (line: JournalLine | Missed): JournalLine => {
    if ('prunedTo' in line) throw missedChanges()
    return line
  },
}

export const pushEventFields = {
  id: ({ sequence }: JournalLine) => toPushEventId(sequence),
  recordedAt: ({ recordedAt }: JournalLine) => Math.floor(recordedAt.getTime() / 1_000),
  orderId: ({ data }: JournalLine) => (data as { orderId?: string }).orderId ?? null,
  intent: ({ sourceChainId, intentId }: JournalLine, args: unknown, context: GraphqlContext) =>
    intentOf({ sourceChainId, intentId }, args, context),
}

function filterOf({ intents, sender, solver, chain, types, after }: PushEventsArguments) {
  if (intents && (intents.length === 0 || intents.length > MAX_INTENTS)) {
    throw invalidArgument('intents', `1 to ${MAX_INTENTS} ids`)
  }
  if (types?.some((type) => !(PUSH_TYPES as readonly string[]).includes(type))) {
    throw invalidArgument('types', PUSH_TYPES.join(', '))
  }
  return {
    filter: {
      intents: intents ?? undefined,
      sender: sender ?? undefined,
      solver: solver ?? undefined,
      chain: chain ?? undefined,
      types: types ?? undefined,
    },
    after: after == null ? null : positionOf(after),
  }
}

/** The number in an event's id. 0 is before all events. */
function positionOf(after: string): number {
  const [, digits] = /^(?:evt_)?(\d{1,16})$/.exec(after) ?? []
  const position = Number(digits)
  if (!Number.isSafeInteger(position)) {
    throw invalidArgument('after', 'the id of an event, evt_…, or 0')
  }
  return position
}

function invalidArgument(argument: string, expected: string) {
  return queryError('BAD_USER_INPUT', `${argument}: expected ${expected}`, { status: 400 })
}
