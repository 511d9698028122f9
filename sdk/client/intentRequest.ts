import type { Address } from 'viem'

/** An intent to create. Amounts are in base units. */
export type IntentRequest = {
  /** ChainId names, such as `base_sepolia`. */
  sourceChain: string
  destChain: string
  tokenIn: Address
  tokenOut: Address
  /** In tokenIn. Approved and escrowed together with `reward`. */
  amountIn: bigint
  /** In tokenOut: the minimum a valid bid delivers to all recipients together. */
  minAmountOut: bigint
  /** In tokenIn: paid to the winner on top of `amountIn`. */
  reward: bigint
  /** Unix seconds at which the auction ends. */
  deadline: number
  /**
   * At most 200; their amounts add up to at most `minAmountOut`, and they share any surplus.
   */
  recipients: readonly { address: Address; amount: bigint }[]
  /** Kept off chain; readable by the sender and viewers after settlement. */
  metadata?: Record<string, string> | undefined
  /** Who besides the sender may read the details. Fixed once submitted. */
  viewers?: readonly Address[] | undefined
}
