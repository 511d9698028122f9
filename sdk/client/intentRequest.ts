import type { Address } from 'viem'

/** An intent as the specification's SDK has it. Amounts are in base units. */
export type IntentRequest = {
  /** ChainId names, such as `base_sepolia`. */
  sourceChain: string
  destChain: string
  tokenIn: Address
  tokenOut: Address
  /** Of tokenIn. With `reward` this is what is approved and put into escrow. */
  amountIn: bigint
  /** Of tokenOut: what a valid bid must deliver to all recipients together. */
  minAmountOut: bigint
  /** Of tokenIn: the winner's, on top of `amountIn`. */
  reward: bigint
  /** Unix seconds: when the auction ends. */
  deadline: number
  /**
   * At most 200; their amounts add up to at most `minAmountOut`, and they share what is delivered beyond.
   */
  recipients: readonly { address: Address; amount: bigint }[]
  /** Off chain only, readable by sender and viewers after the settlement. */
  metadata?: Record<string, string>
  /** Who besides the sender may read the details. Fixed once it is submitted. */
  viewers?: readonly Address[]
}
