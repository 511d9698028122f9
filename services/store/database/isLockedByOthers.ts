/** PostgreSQL's errors: a lock that others held for too long, or a deadlock. */
const CODES: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/** Whether a statement failed only because other sessions use its tables, so that it may succeed later. */
export function isLockedByOthers(error: unknown): boolean {
  return CODES.has((error as { code?: unknown } | null)?.code)
}
