import { toPushEventId } from '../../../core/push/pushEvent.ts'
import type { Repeated } from '../../process/repeat.ts'
import { repeatWhenNotified } from '../../process/repeatWhenNotified.ts'
import { findDatabaseProblem } from '../../store/database/databaseProblem.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { renderPushEvent } from '../../store/push/readPushJournal.ts'
import { releaseFinal } from '../../store/webhooks/webhookDeliveries.ts'
import { AT_ONCE, type ClaimedDelivery, claimDeliveries } from './claimDeliveries.ts'
import { isOperatorFault } from './isOperatorFault.ts'
import type { Outcome, PostWebhook } from './postWebhook.ts'
import { postponeDelivery, recordDeliveryOutcome } from './recordDeliveryOutcome.ts'
import { signDelivery } from './signDelivery.ts'
import type { WebhookDecryptionKey } from './webhookDecryptionKey.ts'

type DeliveringOptions = {
  db: Db
  key: WebhookDecryptionKey
  post: PostWebhook
  /** Calls back whenever there may be something to deliver; returns a way to stop that. */
  onWork: (listener: () => void) => () => void
  onProblem: (error: unknown) => void
  /** Called with the code of each failure by the operator's fault. */
  onFault: (code: string) => void
  /** Milliseconds between two polls without a notification. Default 1,000. */
  pollMs?: number
  places?: Places
}

/** Limits on concurrent deliveries. */
export type Places = {
  /** Below this total an endpoint may have `AT_ONCE`, from here on one. */
  shared: number
  all: number
}

/**
 * Besides the shared places, one for each webhook that may exist (`ENDPOINT_LIMITS`), so that hanging endpoints never
 * block another.
 */
const PLACES: Places = { shared: 1_000, all: 3_000 }
/** Most deliveries claimed by one statement. */
const BATCH = 500
/** Milliseconds between two releases of events that have become final. */
const RELEASE_MS = 250

/** Delivers due events to each endpoint at its own pace, until stopped. */
export function keepDelivering(options: DeliveringOptions): Repeated {
  const { db, key, onProblem, pollMs = 1_000, places = PLACES } = options
  const countByEndpoint = new Map<string, number>()
  const pending = new Set<Promise<void>>()
  let released = Number.NEGATIVE_INFINITY
  /** When any receiver last answered. */
  let answered = Number.NEGATIVE_INFINITY

  const deliver = async (claimed: ClaimedDelivery) => {
    try {
      const clockDifference = Date.now() - claimed.attemptedAt.getTime()
      const outcome = await attempt(claimed, options)
      if (outcome.status !== null) answered = performance.now()
      const sinceAnswer = performance.now() - answered
      if (!isOperatorFault(outcome, { sinceAnswer, clockDifference }))
        return await recordDeliveryOutcome(db, claimed, outcome)
      options.onFault(outcome.error ?? `HTTP ${outcome.status}`)
      await postponeDelivery(db, claimed, outcome)
    } catch (error) {
      // It is sent again with the same id once its lease has expired.
      onProblem(error)
    }
  }
  const start = (claimed: ClaimedDelivery, due: () => void) => {
    const { endpointId } = claimed
    countByEndpoint.set(endpointId, (countByEndpoint.get(endpointId) ?? 0) + 1)
    const one = deliver(claimed).finally(() => {
      const left = (countByEndpoint.get(endpointId) ?? 1) - 1
      if (left === 0) countByEndpoint.delete(endpointId)
      else countByEndpoint.set(endpointId, left)
      pending.delete(one)
      // The same endpoint may have more.
      due()
    })
    pending.add(one)
  }
  const poll = async (due: () => void) => {
    if (performance.now() - released > RELEASE_MS) {
      released = performance.now()
      await releaseFinal(db).catch(unlessNotReady)
    }
    const hasSharedPlaces = pending.size < places.shared
    const limit = Math.min(BATCH, (hasSharedPlaces ? places.shared : places.all) - pending.size)
    if (limit <= 0) return
    const each = hasSharedPlaces ? AT_ONCE : 1
    const claimed = await claimDeliveries(db, {
      keyId: key.keyId,
      running: countByEndpoint,
      each,
      limit,
    })
    for (const one of claimed) start(one, due)
    if (claimed.length === limit) due()
  }
  const running = repeatWhenNotified(
    { everyMs: pollMs, afterFailureMs: pollMs, onProblem, listen: options.onWork },
    poll,
  )
  return {
    stop: async () => {
      await running.stop()
      await Promise.all(pending)
    },
  }
}

/** Without an index no event becomes final, but those already released are still delivered. */
function unlessNotReady(error: unknown): void {
  if (findDatabaseProblem(error) !== 'not_ready') throw error
}

async function attempt(
  claimed: ClaimedDelivery,
  { key, post }: Pick<DeliveringOptions, 'key' | 'post'>,
): Promise<Outcome> {
  const secrets = secretsOf(claimed, key)
  if (secrets.length === 0) return { status: null, error: 'SECRET_LOST' }
  const body = JSON.stringify(renderPushEvent(claimed))
  const now = Math.floor(Date.now() / 1_000)
  return post(claimed.url, signDelivery(toPushEventId(claimed.sequence), body, secrets, now), body)
}

/** Empty without the current secret: whoever rotated may no longer accept the previous one. */
function secretsOf(
  { endpointId, sealedSecret, previousSecret }: ClaimedDelivery,
  key: WebhookDecryptionKey,
) {
  const secret = key.open(endpointId, sealedSecret)
  const previous = previousSecret && key.open(endpointId, previousSecret)
  return secret ? [secret, ...(previous ? [previous] : [])] : []
}
