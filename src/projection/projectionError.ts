/**
 * The history handed to the reducer has a hole: a row that an earlier event must have written is
 * not there. No user can cause it; a start block after the bridge's deployment does.
 */
export class ProjectionError extends Error {
  readonly code = 'HISTORY_INCOMPLETE'
  override readonly name = 'ProjectionError'
}
