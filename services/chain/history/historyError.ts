/** A node's answer about a chain's history that can't be used and that an operator has to fix. */
export class UnreadableError extends Error {
  override name = 'UnreadableError'
}

/** A node gives no logs of a single block: no narrower question can be asked. */
export class BlockRefusedError extends UnreadableError {
  override name = 'BlockRefusedError'
  readonly block: number

  constructor(block: number, cause: Error, chain = 'the node') {
    super(`${chain} refuses the logs of block ${block}: ${cause.message}`, { cause })
    this.block = block
  }
}

/** The chain or the database changed during the reading, so the parts don't fit together. Try again. */
export class MovedError extends Error {
  override name = 'MovedError'
}
