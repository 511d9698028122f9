import type { RelayerClient } from '../relayer/relayerClient.ts'
import type { RelayerQuote } from '../relayer/relayerResponses.ts'
import type { IntentRequest } from './intentRequest.ts'

/** A quote's request, with the fields of an intent. */
export type QuoteRequest = Pick<
  IntentRequest,
  'sourceChain' | 'destChain' | 'tokenIn' | 'tokenOut' | 'amountIn'
> & {
  /** In tokenIn. Default: a reward that recently sufficed. */
  reward?: bigint | undefined
  /** Whether any recipient is a registered wallet, which raises the fee. Default false. */
  shielded?: boolean | undefined
}

/** Requests a quote from the relayer. */
export function requestQuote(
  relayer: Pick<RelayerClient, 'quote'>,
  { tokenIn: tokenA, tokenOut: tokenB, amountIn: amountA, ...more }: QuoteRequest,
): Promise<RelayerQuote> {
  const { sourceChain, destChain, reward, shielded } = more
  return relayer.quote({ sourceChain, destChain, tokenA, tokenB, amountA, reward, shielded })
}
