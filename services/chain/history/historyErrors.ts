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

/** A chain's nodes contradict each other, and nothing shows which one is wrong. An operator has to choose. */
export class NodesDisagreeError extends Error {
  override name = 'NodesDisagreeError'

  /** @param what who says what about what */
  constructor(what: string) {
    super(
      `${what}. Nothing shows which one is wrong: add a node of another operator to rpcUrls, or remove the one that you don't trust`,
    )
  }
}

/** The chain or the database changed during a read, so its parts are inconsistent. Try again. */
export class ChangedDuringReadError extends Error {
  override name = 'ChangedDuringReadError'
}

/** A node was proven wrong after parts had been read from it alone. Try again: it isn't used any more. */
export class DiscreditedReadError extends ChangedDuringReadError {
  override name = 'DiscreditedReadError'
}
