import type { RelayerQuote } from '../relayer/answers.ts'
import type { RelayerClient } from '../relayer/relayerClient.ts'
import type { IntentRequest } from './intentRequest.ts'

/** A quote's request, with the fields of an intent. */
export type QuoteRequest = Pick<
  IntentRequest,
  'sourceChain' | 'destChain' | 'tokenIn' | 'tokenOut' | 'amountIn'
> & {
  /** Of tokenIn. Default: the reward that recently sufficed. */
  reward?: bigint
  /** Whether a recipient is a registered wallet: the fee is higher then. Default false. */
  shielded?: boolean
}

/** Asks the relayer what an intent would bring. */
export function quote(
  relayer: Pick<RelayerClient, 'quote'>,
  { tokenIn: tokenA, tokenOut: tokenB, amountIn: amountA, ...more }: QuoteRequest,
): Promise<RelayerQuote> {
  const { sourceChain, destChain, reward, shielded } = more
  return relayer.quote({ sourceChain, destChain, tokenA, tokenB, amountA, reward, shielded })
}
