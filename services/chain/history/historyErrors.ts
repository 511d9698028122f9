/** A node's answer can't be used, and an operator has to fix the cause. */
export class UnusableAnswerError extends Error {
  override name = 'UnusableAnswerError'
}

/** A node refuses the logs of a single block, so no narrower request is possible. */
export class BlockRefusedError extends UnusableAnswerError {
  override name = 'BlockRefusedError'
  readonly block: number

  constructor(block: number, cause: Error, chain = 'the node') {
    super(`${chain} refuses the logs of block ${block}: ${cause.message}`, { cause })
    this.block = block
  }
}

/** The chain or the database changed during a read, so its parts are inconsistent. Try again. */
export class ChangedDuringReadError extends Error {
  override name = 'ChangedDuringReadError'
}
