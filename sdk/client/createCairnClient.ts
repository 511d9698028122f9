import {
  type CairnEvent,
  type EventFilter,
  type FollowOptions,
  followEvents,
} from '../events/followEvents.ts'
import { createIntentWatch } from '../events/intentWatch.ts'
import { createRelayerClient, type RelayerClient } from '../relayer/relayerClient.ts'
import type { CairnClientOptions, ClientContext } from './clientOptions.ts'
import { handleOf, type IntentHandle } from './intentHandle.ts'
import type { IntentRequest } from './intentRequest.ts'
import { type SubmitOptions, submitIntent } from './submitIntent.ts'

/** What a sender does. */
export type CairnClient = {
  /**
   * Checks an intent, approves what it takes and creates it.
   *
   * @throws CairnError: before the approval nothing has been sent
   */
  submitIntent(intent: IntentRequest, options?: SubmitOptions): Promise<IntentHandle>
  /** A handle of any intent, from its id alone: after a page was loaded again, say. */
  intent(id: bigint): IntentHandle
  /** What happens, as it happens: see `followEvents`. */
  events(filter?: EventFilter, options?: FollowOptions): AsyncGenerator<CairnEvent>
  /** The relayer's whole interface. */
  relayer: RelayerClient
}

export function createCairnClient({
  relayer: address,
  ...options
}: CairnClientOptions): CairnClient {
  const relayer = createRelayerClient(address)
  const { baseUrl } = address
  const context: ClientContext = { ...options, relayer, baseUrl, watch: createIntentWatch(baseUrl) }
  return {
    relayer,
    submitIntent: (intent, more) => submitIntent(context, intent, more),
    intent: (id) => handleOf(context, id),
    events: (filter, more) => followEvents(baseUrl, filter, more),
  }
}
