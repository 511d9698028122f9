import { sql } from 'kysely'
import { describeClockDifference } from '../store/database/describeClockDifference.ts'
import type { Db } from '../store/database/openDatabase.ts'
import { SILENT_AFTER } from '../store/roles/readRoleStatuses.ts'
import { AT_ONCE } from './deliver/claimDeliveries.ts'

type PushProblem = { code: PushProblemCode; cause: string; fix: string }

type PushProblemCode =
  | 'PUSH_STOPPED'
  | 'JOURNAL_BEHIND'
  | 'DELIVERIES_BEHIND'
  | 'WEBHOOKS_WITHOUT_KEY'
  | 'PRIVATE_WEBHOOKS_REFUSED'
  | 'CLOCKS_DIFFER'

/** The push role's health over all instances. */
type PushHealth = {
  /** `stopped`: no instance has written a heartbeat for ten seconds. */
  status: 'ok' | 'degraded' | 'stopped'
  /** Age of the oldest change that the journal hasn't examined; 0 when there is none. */
  lagSeconds: number
  /** Webhooks with a due delivery that nothing but this role delays. */
  waitingWebhooks: number
  /** How long the oldest of these has been due; 0 when there is none. */
  overdueSeconds: number
  problems: PushProblem[]
}

/** The measurements behind it. */
export type PushFacts = Pick<PushHealth, 'lagSeconds' | 'waitingWebhooks' | 'overdueSeconds'> & {
  instances: readonly (PushStatus & { secondsAhead?: number | null })[]
  hasWebhooks: boolean
  /** Webhooks with a due delivery whose secrets were sealed to a key that no delivering process has. */
  sealedToOthers: number
  /** Whether one has an http URL, which only `ALLOW_PRIVATE_WEBHOOKS` allows. */
  hasPlainWebhooks: boolean
}

/** Seconds from which the journal, and deliveries, count as behind. */
const JOURNAL_LATE_AFTER = 30
const DELIVERIES_LATE_AFTER = 60

/** Whether processes deliver, but none of them has the key of endpoint `e`'s secret. */
const IS_SEALED_TO_OTHERS = sql`(select bool_and(s.status ->> 'keyId' <> e.key_id) is true from app.role_status s
  where s.role = 'push' and s.status ->> 'keyId' is not null
    and s.beat_at > now() - ${SILENT_AFTER} * interval '1 second')`

/** Null on a database where the role has never run, so that its absence is no problem. */
export async function readPushHealth(db: Db): Promise<PushHealth | null> {
  const { rows } = await sql<PushFacts & { hasRun: boolean }>`
    select exists (select from app.push_cursor) as "hasRun",
      exists (select from app.webhook_endpoint where status = 'active') as "hasWebhooks",
      exists (select from app.webhook_endpoint where status = 'active' and url like 'http:%') as "hasPlainWebhooks",
      -- One that nothing happens for may be abandoned: its owner will never rotate.
      (select count(*)::int from app.webhook_endpoint e where e.status = 'active' and ${IS_SEALED_TO_OTHERS}
        and exists (select from app.webhook_delivery d
          where d.endpoint_id = e.endpoint_id and d.status = 'due')) as "sealedToOthers",
      (select coalesce(jsonb_agg(status || jsonb_build_object('secondsAhead',
        case when jsonb_typeof(status -> 'clock') = 'number'
          then round((status ->> 'clock')::numeric / 1000 - extract(epoch from beat_at)) end)), '[]') from app.role_status
        where role = 'push' and jsonb_typeof(status) = 'object' and beat_at > now() - ${SILENT_AFTER} * interval '1 second') as instances,
      greatest(0, (select extract(epoch from clock_timestamp() - log.changed_at)::int
        from app.change_log log where log.sequence > (select sequence from app.push_cursor)
        order by log.sequence limit 1),
        -- A chain whose new index the journal waits for: it has fewer blocks than the old one had.
        (select extract(epoch from clock_timestamp() - min(p.ready_at))::int
        from app.projection p join app.push_chain seen using (chain_id)
        where p.active and p.state = 'live' and p.schema_name <> seen.schema_name)) as "lagSeconds",
      due.webhooks as "waitingWebhooks", due.seconds as "overdueSeconds"
    from (
      select count(*)::int as webhooks,
        coalesce(extract(epoch from clock_timestamp() - min(greatest(first.next_at, e.retry_at)))::int, 0) as seconds
      from app.webhook_endpoint e
      cross join lateral (
        select d.next_at from app.webhook_delivery d
        where d.endpoint_id = e.endpoint_id and d.status = 'due' and d.next_at <= clock_timestamp()
          and (d.leased_until is null or d.leased_until < clock_timestamp())
        order by d.next_at limit 1) first
      -- Deliveries behind a hanging or failing receiver are its own fault and don't count.
      where e.status = 'active' and not ${IS_SEALED_TO_OTHERS} and (e.retry_at is null or e.retry_at <= clock_timestamp()) and (
        select count(*) from app.webhook_delivery d where d.endpoint_id = e.endpoint_id
          and d.status = 'due' and d.leased_until >= clock_timestamp()) < ${AT_ONCE}) due`.execute(
    db,
  )
  const { hasRun, ...facts } = rows[0]!
  return hasRun ? judgePush(facts) : null
}

/** Derives the status and problems from the measurements. */
export function judgePush({
  instances,
  hasWebhooks,
  sealedToOthers,
  hasPlainWebhooks,
  ...facts
}: PushFacts): PushHealth {
  const problems = [
    ...(instances.length === 0 ? [STOPPED] : []),
    ...(facts.lagSeconds >= JOURNAL_LATE_AFTER ? [journalBehind(facts.lagSeconds)] : []),
    ...(facts.overdueSeconds >= DELIVERIES_LATE_AFTER ? [deliveriesBehind(facts)] : []),
    ...(hasWebhooks && instances.length > 0 && !instances.some(({ delivers }) => delivers)
      ? [WITHOUT_KEY]
      : []),
    ...(sealedToOthers > 0 ? [otherKey(sealedToOthers)] : []),
    ...(hasPlainWebhooks && instances.some((one) => one.delivers && one.allowsPrivate === false)
      ? [PRIVATE_REFUSED]
      : []),
    ...clocksDiffer(instances),
  ]
  const running = problems.length === 0 ? 'ok' : 'degraded'
  return { status: instances.length === 0 ? 'stopped' : running, ...facts, problems }
}

const STOPPED: PushProblem = {
  code: 'PUSH_STOPPED',
  cause: 'no process of the push role has reported for ten seconds',
  fix: 'Start it: npm run start:push. Until then events and webhooks are delayed, but none is lost.',
}

const WITHOUT_KEY: PushProblem = {
  code: 'WEBHOOKS_WITHOUT_KEY',
  cause: 'webhooks are registered, but no process of the push role has the key to their secrets',
  fix: 'Set PUSH_KEY_FILE to the previous key file, and restart the role.',
}

function otherKey(webhooks: number): PushProblem {
  return {
    code: 'WEBHOOKS_WITHOUT_KEY',
    cause: `deliveries to ${webhooks} webhooks wait (SECRET_LOST): the push role has another key than their secrets were made for`,
    fix: 'Set PUSH_KEY_FILE to the previous key file, and restart the role: they go out then. Only if it is lost, have the webhooks’ owners rotate, or disable them.',
  }
}

const PRIVATE_REFUSED: PushProblem = {
  code: 'PRIVATE_WEBHOOKS_REFUSED',
  cause: 'webhooks with http URLs are registered, but a process of the push role refuses them',
  fix: 'Set ALLOW_PRIVATE_WEBHOOKS=1 for the push role as for the API, and restart the role.',
}

function journalBehind(seconds: number): PushProblem {
  return {
    code: 'JOURNAL_BEHIND',
    cause: `a change from ${seconds} s ago isn’t in the journal yet`,
    fix: 'See the push role’s log: the database is slow, or rejects its statements. If it says nothing, a chain’s new index has fewer blocks than the old one had: check that chain’s nodes.',
  }
}

function deliveriesBehind({
  waitingWebhooks,
  overdueSeconds,
}: Pick<PushFacts, 'waitingWebhooks' | 'overdueSeconds'>): PushProblem {
  return {
    code: 'DELIVERIES_BEHIND',
    cause: `deliveries of ${waitingWebhooks} webhooks are due, the oldest for ${overdueSeconds} s`,
    fix: 'Start another process of the push role with the same PUSH_KEY_FILE: they share the work.',
  }
}

function clocksDiffer(instances: PushFacts['instances']): PushProblem[] {
  const seconds = instances
    .map(({ secondsAhead }) => secondsAhead ?? 0)
    .reduce((worst, one) => (Math.abs(one) > Math.abs(worst) ? one : worst), 0)
  const harm = 'receivers refuse webhooks whose time is five minutes off'
  const problem = describeClockDifference('a push process’s', seconds, harm)
  return problem === null ? [] : [problem]
}

/** The status that an instance reports. */
export type PushStatus = {
  /** Whether it has the key of the webhooks' secrets. */
  delivers: boolean
  /** That key's id; null without one, absent in an older version's report. */
  keyId?: string | null
  /** Whether it delivers to http URLs and private addresses; absent in an older version's report. */
  allowsPrivate?: boolean
  /** Its clock's milliseconds; absent in an older version's report. */
  clock?: number
}
