/** Something that stops a replay and that its user can do something about. */
export class ReplayError extends Error {
  override name = 'ReplayError'
}

/** The chain, or the database, changed under our feet: what was read does not fit together. Try again. */
export class MovedError extends Error {
  override name = 'MovedError'
}
