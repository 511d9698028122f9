import type { Address } from 'viem'
import { worth } from '../../../devnet/tokens.ts'
import type { BatchRequest } from '../../../sdk/index.ts'

/** One more than a single intent can pay, so that the batch needs two. */
const RECIPIENTS = 201

/** A request for a batch of two intents, with one ZEN for each recipient. */
export function buildTwoIntentBatch(tokens: Record<'USDC' | 'ZEN', Address>): BatchRequest {
  return {
    sourceChain: 'base_sepolia',
    destChain: 'horizen_testnet',
    auctionSeconds: 90,
    tokenIn: tokens.USDC,
    tokenOut: tokens.ZEN,
    reward: 1_000_000n,
    amountIn: worth('USDC', 6_030),
    minAmountOut: worth('ZEN', 201),
    recipients: Array.from({ length: RECIPIENTS }, (_, at) => ({
      address: `0x${(0xbeef00000 + at).toString(16).padStart(40, '0')}` as Address,
      amount: worth('ZEN', 1),
    })),
  }
}
