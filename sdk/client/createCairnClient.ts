import type { PushEvent } from '../../core/push/pushEvent.ts'
import type { BatchRequest } from '../batch/batchRequest.ts'
import { type BatchOptions, submitBatch } from '../batch/submitBatch.ts'
import { requireIntentId } from '../errors/invalidArgument.ts'
import { type EventFilter, type FollowOptions, followEvents } from '../events/followEvents.ts'
import { createSharedIntentStream } from '../events/sharedIntentStream.ts'
import { createRecipientClient, type RecipientClient } from '../recipient/recipientClient.ts'
import { createRelayerClient, type RelayerClient } from '../relayer/relayerClient.ts'
import type { RelayerQuote } from '../relayer/relayerResponses.ts'
import type { CairnClientOptions, ClientContext } from './clientOptions.ts'
import { createIntentHandle, type IntentHandle } from './intentHandle.ts'
import type { IntentRequest } from './intentRequest.ts'
import { type QuoteRequest, requestQuote } from './requestQuote.ts'
import { type SubmitOptions, submitIntent } from './submitIntent.ts'

/** The client for senders. */
export type CairnClient = {
  /**
   * Checks an intent, approves its tokens and creates it. If your program may be stopped meanwhile, use `submitBatch`, even for
   * one recipient: with the saved state it pays nobody twice.
   *
   * @throws CairnError; until the approval, nothing has been sent. Not `retryable` if the creation may be mined all the same:
   *   look for `details.txHash` (null if unknown) before you submit again
   */
  submitIntent(intent: IntentRequest, options?: SubmitOptions): Promise<IntentHandle>
  /**
   * Pays any number of recipients, 200 per intent, and survives being killed: see `BatchOptions.save`. Run a batch only
   * once at a time.
   *
   * @returns the intents, in the order of their recipients: wait for each, and pay the recipients of refunded ones again
   */
  submitBatch(request: BatchRequest, options: BatchOptions): Promise<IntentHandle[]>
  /**
   * Estimates an intent's outcome from its pair's completions in the last day: the output, a sufficient reward, and the
   * solvers that could take it. Not an offer: the auction decides what is delivered. Unverified: set your own limits for
   * `minAmountOut` and `reward`.
   *
   * @throws RelayerError `UNSUPPORTED_CHAIN`, `UNSUPPORTED_ASSET`, `AMOUNT_BELOW_MINIMUM`, `AMOUNT_ABOVE_MAXIMUM`
   */
  quote(request: QuoteRequest): Promise<RelayerQuote>
  /**
   * A handle for any intent from its id, for example after a page reload or from an event, whose ids are text.
   *
   * @throws CairnError `INVALID_REQUEST` for an invalid id
   */
  intent(id: bigint | string): IntentHandle
  /**
   * The wallet as a recipient: register, list, derive keys, deploy and sweep.
   *
   * @throws CairnError `VIEWING_KEY_MISSING` without a wallet
   */
  recipient(): RecipientClient
  /** Events as they happen: see `followEvents`. */
  events(filter?: EventFilter, options?: FollowOptions): AsyncGenerator<PushEvent>
  /** The relayer's whole interface. */
  relayer: RelayerClient
}

export function createCairnClient({
  relayer: address,
  ...options
}: CairnClientOptions): CairnClient {
  const relayer = createRelayerClient(address)
  const { baseUrl } = address
  const context: ClientContext = {
    ...options,
    relayer,
    baseUrl,
    watch: createSharedIntentStream(baseUrl),
  }
  return {
    relayer,
    submitIntent: (intent, more) => submitIntent(context, intent, more),
    submitBatch: (request, how) => submitBatch(context, request, how),
    quote: (request) => requestQuote(relayer, request),
    intent: (id) => createIntentHandle(context, requireIntentId(id, 'id')),
    recipient: () => createRecipientClient(context),
    events: (filter, more) => followEvents(baseUrl, filter, more),
  }
}
