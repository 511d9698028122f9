import type { RelayerQuote } from '../relayer/answers.ts'
import type { RelayerClient } from '../relayer/relayerClient.ts'
import type { IntentRequest } from './intentRequest.ts'

/** What a quote is asked for, in the words of an intent. */
export type QuoteRequest = Pick<
  IntentRequest,
  'sourceChain' | 'destChain' | 'tokenIn' | 'tokenOut' | 'amountIn'
> & {
  /** Of tokenIn. Default: as much as sufficed lately. */
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
