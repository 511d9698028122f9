import { encodeFunctionData, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { AccountSender } from '../../chain/accountSender.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { TOKEN_SYMBOLS, worth } from '../tokens.ts'
import type { DevnetContracts } from './devnetContracts.ts'

/** Least and greatest offer, in cents: five dollars and a million. */
const LEAST = 500
const GREATEST = 100_000_000

/** Puts the tokens and the other chains on a bridge's allow-lists, where they aren't yet. */
export async function openBridge(
  client: DevnetClient,
  owner: AccountSender,
  contracts: DevnetContracts,
  destinations: readonly number[],
): Promise<void> {
  const bridge = { address: contracts.bridge, abi: bridgeIntentV2Abi } as const
  const calls: Hex[] = []
  for (const symbol of TOKEN_SYMBOLS) {
    const token = contracts.tokens[symbol]
    const functionName = 'tokenListing' as const
    const [listed] = await client.readContract({ ...bridge, functionName, args: [token] })
    if (!listed) calls.push(listToken(token, worth(symbol, LEAST), worth(symbol, GREATEST)))
  }
  for (const chainId of destinations) {
    const args = [BigInt(chainId)] as const
    const functionName = 'isDestinationListed' as const
    const listed = await client.readContract({ ...bridge, functionName, args })
    if (!listed) {
      calls.push(
        encodeFunctionData({ abi: bridgeIntentV2Abi, functionName: 'listDestination', args }),
      )
    }
  }
  await Promise.all(calls.map((data) => owner.execute({ to: contracts.bridge, data })))
}

function listToken(token: `0x${string}`, least: bigint, greatest: bigint): Hex {
  return encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'listToken',
    args: [token, least, greatest],
  })
}
