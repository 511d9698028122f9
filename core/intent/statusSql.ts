import type { Phase } from '../../src/intent/intentFacts.ts'
import type { Status } from './status.ts'

/** The parts of status SQL. All are trusted text, never input. */
export type StatusSqlInputs = {
  /** Alias of the row of `cairn.intent`. */
  intent: string
  /** Boolean expression: the intent has a valid delivery (`buildValidDeliverySql`). */
  delivered: string
  /** Expression: timestamp of the source chain's indexed head; null without one. */
  sourceClock: string
  /** Expression: timestamp of the destination chain's indexed head; null without one. */
  destClock: string
}

/** The deadline that must have passed, or must not have, for a branch to hold. */
type Deadline = {
  clock: 'source' | 'destination'
  column: 'end_time' | 'pickup_deadline' | 'fill_deadline'
  passed: boolean
}

/**
 * One condition of a status: a phase, and what else must hold. Each branch selects one value of `phase`, so a page of a
 * list scans the index on (phase, created_at, intent_id) once per branch.
 */
export type StatusBranch = {
  phase: Phase
  deadline: Deadline | null
  /** Whether there must be a valid delivery; null when it doesn't matter. */
  delivered: boolean | null
}

/** All conditions of each status. No two overlap, and together they cover every intent. */
export const STATUS_BRANCHES: { readonly [Word in Status]: readonly StatusBranch[] } = {
  pending: [
    branch('open', { clock: 'source', column: 'end_time', passed: false }),
    branch('bidding', { clock: 'source', column: 'pickup_deadline', passed: false }),
  ],
  solving: [
    branch('deposited', { clock: 'destination', column: 'fill_deadline', passed: false }, false),
  ],
  settled: [branch('deposited', null, true)],
  completed: [branch('completed')],
  failed: [
    branch('deposited', { clock: 'destination', column: 'fill_deadline', passed: true }, false),
    branch('failed'),
  ],
  expired: [
    branch('open', { clock: 'source', column: 'end_time', passed: true }),
    branch('bidding', { clock: 'source', column: 'pickup_deadline', passed: true }),
    branch('expired'),
  ],
  cancelled: [branch('cancelled')],
}

/** A branch as a boolean SQL expression, including its phase. */
export function buildStatusBranchSql(
  { phase, deadline, delivered }: StatusBranch,
  sql: StatusSqlInputs,
): string {
  const conditions = [`${sql.intent}.phase = '${phase}'`]
  if (deadline) conditions.push(deadlineSql(deadline, sql))
  if (delivered !== null) conditions.push(delivered ? sql.delivered : `NOT ${sql.delivered}`)
  return conditions.join(' AND ')
}

/** Without a clock nothing has passed: an unknown comparison counts as "not passed". */
function deadlineSql({ clock, column, passed }: Deadline, sql: StatusSqlInputs): string {
  const now = clock === 'source' ? sql.sourceClock : sql.destClock
  return `(${now} >= ${sql.intent}.${column}) IS ${passed ? '' : 'NOT '}TRUE`
}

function branch(
  phase: Phase,
  deadline: Deadline | null = null,
  delivered: boolean | null = null,
): StatusBranch {
  return { phase, deadline, delivered }
}
