/** A node's answer about a chain's history that can't be used: somebody has to do something about it. */
export class UnreadableError extends Error {
  override name = 'UnreadableError'
}

/** The chain, or the database, changed under our feet: what was read does not fit together. Try again. */
export class MovedError extends Error {
  override name = 'MovedError'
}
