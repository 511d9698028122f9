import type { Address } from 'viem'
import type { IntentHandle, RelayerQuote } from '../../sdk/index.ts'
import { createClient, type ExampleSetup } from '../exampleSetup.ts'

/** Auction length in seconds. Solvers bid in its last third: ten seconds, enough for a busy machine. */
const AUCTION = 30

/** A quote for 100 USDC. */
export function quoteUsdc(setup: ExampleSetup): Promise<RelayerQuote> {
  return createClient(setup, setup.sender).quote(composeOffer(setup))
}

/** Offers 100 USDC, of which the recipient gets at least 90. */
export function sendUsdc(setup: ExampleSetup, recipient: Address): Promise<IntentHandle> {
  return createClient(setup, setup.sender).submitIntent({
    ...composeOffer(setup),
    minAmountOut: 90_000_000n,
    reward: 1_000_000n,
    deadline: Math.floor(Date.now() / 1_000) + AUCTION,
    recipients: [{ address: recipient, amount: 90_000_000n }],
  })
}

function composeOffer({ source, destination }: ExampleSetup) {
  return {
    sourceChain: source.name,
    destChain: destination.name,
    tokenIn: source.usdc,
    tokenOut: destination.usdc,
    amountIn: 100_000_000n,
  }
}
