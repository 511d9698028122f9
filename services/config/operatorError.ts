/** A problem that an operator can fix. The message says how, and is printed without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}
