import { type PublicClient, parseAbi } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { VaultChain } from './vaultChain.ts'

const abi = parseAbi([
  'function tokenListing(address) view returns (bool, uint256, uint256, uint8)',
  'function isDestinationListed(uint256) view returns (bool)',
])

/** A token that the bridge accepts now. */
export type TokenListing = {
  /** Smallest and largest escrow, in base units. */
  min: bigint
  max: bigint
  /** Signatures that each step of an order needs. */
  quorum: number
}

/** A token's listing now; null when it isn't listed. */
export async function readTokenListing(
  client: PublicClient,
  { bridge }: Pick<VaultChain, 'bridge'>,
  token: Hex,
): Promise<TokenListing | null> {
  const [isListed, min, max, quorum] = await client.readContract({
    address: bridge,
    abi,
    functionName: 'tokenListing',
    args: [token],
  })
  return isListed ? { min, max, quorum } : null
}

export function isDestinationListed(
  client: PublicClient,
  { bridge }: Pick<VaultChain, 'bridge'>,
  destChainId: bigint,
): Promise<boolean> {
  return client.readContract({
    address: bridge,
    abi,
    functionName: 'isDestinationListed',
    args: [destChainId],
  })
}
