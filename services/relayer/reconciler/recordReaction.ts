import { sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import { retryAfterMs } from './findDesiredEffects.ts'
import {
  type Effect,
  type EffectKind,
  type Outcome,
  type Reaction,
  subjectOf,
} from './reconcilerEffect.ts'

/** Records an attempt's result, and when to try again. */
export async function recordOutcome(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
  effect: Effect,
  before: Reaction | undefined,
  outcome: Outcome,
): Promise<void> {
  const failed = outcome.is === 'waiting' ? (before?.attempts ?? 0) + 1 : (before?.attempts ?? 0)
  const state = outcome.is === 'done' || outcome.is === 'refused' ? outcome.is : 'waiting'
  const { reason, detail = null } =
    'reason' in outcome ? outcome : { reason: outcome.is === 'under-way' ? 'TRANSACTION' : null }
  const pauseMs = outcome.is === 'waiting' ? retryAfterMs(failed) : null
  await sql`
    insert into app.reaction as known (kind, source_chain_id, intent_id, state, reason, detail,
      subject, attempts, tried_at, next_try_at, done_at)
    values (${effect.kind}, ${sourceChainId}::bigint, ${String(intentId)}::numeric, ${state},
      ${reason}, ${detail}, ${subjectOf(effect)}, ${failed}::integer, clock_timestamp(),
      clock_timestamp() + ${pauseMs}::integer * interval '1 millisecond',
      case when ${state} = 'done' then clock_timestamp() end)
    on conflict (kind, source_chain_id, intent_id) do update set
      state = excluded.state, reason = excluded.reason, detail = excluded.detail,
      subject = excluded.subject, attempts = excluded.attempts, tried_at = excluded.tried_at,
      next_try_at = excluded.next_try_at, done_at = excluded.done_at,
      wanted_since = case when known.state = 'done' then clock_timestamp() else known.wanted_since end`.execute(
    db,
  )
}

/** Records that an effect is needed and what it waits for, if that changed. */
export async function recordWaiting(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
  effect: Effect,
  reason: string,
): Promise<void> {
  await sql`
    insert into app.reaction as known (kind, source_chain_id, intent_id, state, reason, subject)
    values (${effect.kind}, ${sourceChainId}::bigint, ${String(intentId)}::numeric, 'waiting',
      ${reason}, ${subjectOf(effect)})
    on conflict (kind, source_chain_id, intent_id) do update set
      state = 'waiting', reason = excluded.reason, subject = excluded.subject,
      wanted_since = case when known.state = 'done' then clock_timestamp() else known.wanted_since end
    where known.state = 'done' or known.state = 'waiting' and known.reason is distinct from excluded.reason`.execute(
    db,
  )
}

/** Marks effects as done that the facts show or have made pointless. */
export async function recordNoLongerDesired(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
  kinds: readonly EffectKind[],
): Promise<void> {
  if (kinds.length === 0) return
  await sql`
    update app.reaction set state = 'done', reason = null, detail = null, subject = null, attempts = 0,
      next_try_at = null, done_at = clock_timestamp()
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(intentId)}::numeric
      and kind = any(${kinds}) and state = 'waiting'`.execute(db)
}
