import type { Address } from 'viem'
import type { IntentHandle } from '../../sdk/index.ts'
import { createClient, type ExampleSetup } from '../exampleSetup.ts'

/** Auction length in seconds. */
const AUCTION = 20

/** Offers 100 USDC, of which the recipient gets at least 90. */
export function sendUsdc(setup: ExampleSetup, recipient: Address): Promise<IntentHandle> {
  const { source, destination, sender } = setup
  const cairn = createClient(setup, sender)
  return cairn.submitIntent({
    ...{ sourceChain: source.name, destChain: destination.name },
    ...{ tokenIn: source.usdc, tokenOut: destination.usdc },
    ...{ amountIn: 100_000_000n, minAmountOut: 90_000_000n, reward: 1_000_000n },
    deadline: Math.floor(Date.now() / 1_000) + AUCTION,
    recipients: [{ address: recipient, amount: 90_000_000n }],
  })
}
