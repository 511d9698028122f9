import { type PublicClient, parseAbi } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OrderChain } from './orderChain.ts'

const abi = parseAbi([
  'function tokenListing(address) view returns (bool, uint256, uint256, uint8)',
  'function isDestinationListed(uint256) view returns (bool)',
])

/** What the bridge takes of a token now; null when it isn't listed. */
export type TokenListing = {
  /** Of what goes into escrow, base units, both ends included. */
  least: bigint
  greatest: bigint
  /** Signatures that each step of an order of it needs. */
  quorum: number
}

/** What the bridge takes of a token now. */
export async function tokenListing(
  client: PublicClient,
  { bridge }: Pick<OrderChain, 'bridge'>,
  token: Hex,
): Promise<TokenListing | null> {
  const [listed, least, greatest, quorum] = await client.readContract({
    ...{ address: bridge, abi, functionName: 'tokenListing', args: [token] },
  })
  return listed ? { least, greatest, quorum } : null
}

export function isDestinationListed(
  client: PublicClient,
  { bridge }: Pick<OrderChain, 'bridge'>,
  destChainId: bigint,
): Promise<boolean> {
  return client.readContract({
    ...{ address: bridge, abi, functionName: 'isDestinationListed', args: [destChainId] },
  })
}
