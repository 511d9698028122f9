/** What keeps the relayer from working on one chain, and how an operator can fix it. */
export type RelayerProblem = {
  chainId: number
  /** Stable. */
  code:
    | 'WRONG_ROOT'
    | 'NO_GAS'
    | 'KEY_NOT_REGISTERED'
    | 'KEY_NOT_ACTIVE'
    | 'KEY_EXPIRES'
    | 'SEALING_KEY_UNREGISTERED'
    | 'GAS_BUDGET_SPENT'
    | 'CHAIN_REMOVED'
    | 'WINNER_UNSEEN'
    | 'SETTLED_UNPAID'
    | 'RECOVERY_INCOMPLETE'
    | 'RECOVERY_UNFINISHED'
  /** One sentence: what is wrong. */
  cause: string
  /** One sentence: what to do. */
  fix: string
}
