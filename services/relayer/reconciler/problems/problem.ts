/** What keeps the relayer from working on one chain, and what an operator does about it. */
export type RelayerProblem = {
  chainId: number
  /** Stable. */
  code: 'WRONG_ROOT' | 'NO_GAS' | 'KEY_NOT_REGISTERED' | 'KEY_NOT_ACTIVE'
  /** One sentence: what is wrong. */
  cause: string
  /** One sentence: what to do. */
  fix: string
}
