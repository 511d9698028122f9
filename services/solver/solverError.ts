/** Why the solver doesn't go on with an intent or a chain. Its log shows the code. */
export class SolverError extends Error {
  override readonly name = 'SolverError'
  readonly code: string

  constructor(code: 'TERMS_DISPUTED' | 'REVEAL_UNPROVEN' | 'TOKEN_REFUSES', message: string) {
    super(message)
    this.code = code
  }
}
