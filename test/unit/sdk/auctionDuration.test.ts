import { expect, test } from 'vitest'
import { checkIntentAgainstBridge } from '../../../sdk/client/checkIntentAgainstBridge.ts'

const NOW = 1_800_000_000
const TOKEN = '0x00000000000000000000000000000000000000a1'
const answers: Record<string, unknown> = {
  tokenListing: [true, 1n, 100n, 1],
  isDestinationListed: true,
  MIN_AUCTION_DURATION: 20,
}

/** Checks an intent that ends in 90 seconds, with a node whose latest block has this time. */
function checkAt(timestamp: number) {
  const publicClient = {
    readContract: async ({ functionName }: { functionName: string }) => answers[functionName],
    getBlock: async () => ({ timestamp: BigInt(timestamp) }),
  }
  const chain = { name: 'base_sepolia', chainId: 84532, bridge: TOKEN } as const
  const chains = { source: { ...chain, publicClient }, destination: chain }
  const intent = { tokenIn: TOKEN, amountIn: 10n, reward: 0n, deadline: NOW + 90 }
  return checkIntentAgainstBridge(intent as never, chains as never, NOW)
}

test('an auction ends at its deadline, whatever a node says of the time before', async () => {
  for (const timestamp of [0, NOW - 86_400, NOW])
    expect(await checkAt(timestamp)).toEqual({ auctionDuration: 90n })
  // The chain's own clock is ahead.
  expect(await checkAt(NOW + 30)).toEqual({ auctionDuration: 60n })
  await expect(checkAt(NOW + 80)).rejects.toMatchObject({ code: 'INTENT_DEADLINE_PAST' })
})
