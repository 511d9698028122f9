/** Stable codes. */
type SweepProblem =
  | 'USAGE'
  | 'KEY_UNREADABLE'
  | 'RPC_UNREACHABLE'
  | 'SAFE_CONTRACTS_MISSING'
  | 'OTHER_SAFE'
  | 'NOT_A_SAFE'
  | 'NOT_THE_OWNER'
  | 'TRANSFER_REFUSED'
  | 'NOT_ENOUGH_GAS'
  | 'GAS_TOO_DEAR'
  | 'SIMULATION_FAILED'
  | 'TRANSACTION_FAILED'
  | 'TRANSACTION_UNCONFIRMED'

/** A failure that the user can fix. Its message never contains a key or a whole URL. */
export class SweepError extends Error {
  override readonly name = 'SweepError'
  readonly code: SweepProblem

  constructor(code: SweepProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
