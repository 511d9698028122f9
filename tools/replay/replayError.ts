/** Something that stops a replay and that its user can do something about. */
export class ReplayError extends Error {
  override name = 'ReplayError'
}
