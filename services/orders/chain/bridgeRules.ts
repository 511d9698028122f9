import { encodeFunctionData, parseAbi } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { OrderChain } from './orderChain.ts'

const abi = parseAbi([
  'function MIN_AUCTION_DURATION() view returns (uint32)',
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

/** Listings change within minutes at most; a shortest auction never does. */
const durations = new WeakMap<object, Promise<number>>()

/**
 * The bridge's shortest auction, in seconds: read once, of all nodes. A tranche's blob counts for its exact terms
 * only, so that by a wrong number every tranche would name nobody: where nodes contradict each other none is
 * believed, and tranches wait.
 *
 * @throws RpcError
 */
export function minAuctionDuration(
  chain: Pick<OrderChain, 'chainId' | 'bridge' | 'pool'>,
): Promise<number> {
  const known = durations.get(chain)
  if (known !== undefined) return known
  const asked = askAll(chain)
  durations.set(chain, asked)
  asked.catch(() => durations.delete(chain))
  return asked
}

async function askAll({ pool, bridge }: Pick<OrderChain, 'bridge' | 'pool'>): Promise<number> {
  const data = encodeFunctionData({ abi, functionName: 'MIN_AUCTION_DURATION' })
  const requests = [{ method: 'eth_call', params: [{ to: bridge, data }, 'latest'] }]
  const asked = await Promise.allSettled(
    pool.providers.map((provider) => provider.send(requests, { timeoutMs: 5_000 })),
  )
  const said = asked.flatMap((one) => {
    const answer = one.status === 'fulfilled' ? one.value[0] : undefined
    return answer && 'result' in answer ? [Number(answer.result)] : []
  })
  const [first, ...others] = most(said)
  if (first === undefined) throw new RpcError('unreachable', 'no node tells the shortest auction')
  if (others.length > 0) throw new RpcError('unreachable', 'nodes contradict each other')
  return first
}

/** What most say; several where as many say each. */
function most(said: readonly number[]): number[] {
  const votes = Map.groupBy(said, (one) => one)
  const greatest = Math.max(0, ...[...votes.values()].map(({ length }) => length))
  return [...votes].flatMap(([one, { length }]) => (length === greatest ? [one] : []))
}

/** What the bridge takes of a token now. */
export async function tokenListing(
  { client, bridge }: OrderChain,
  token: Hex,
): Promise<TokenListing | null> {
  const [listed, least, greatest, quorum] = await client.readContract({
    ...{ address: bridge, abi, functionName: 'tokenListing', args: [token] },
  })
  return listed ? { least, greatest, quorum } : null
}

export function isDestinationListed(
  { client, bridge }: OrderChain,
  destChainId: bigint,
): Promise<boolean> {
  return client.readContract({
    ...{ address: bridge, abi, functionName: 'isDestinationListed', args: [destChainId] },
  })
}
