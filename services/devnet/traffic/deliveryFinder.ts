import { type Address, getAbiItem } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { ObservedDelivery } from './observedIntent.ts'
import type { TrafficChain } from './trafficChain.ts'

/** Finds what solvers delivered on one chain; what it found once it never asks for again. */
export type DeliveryFinder = (
  intent: { sourceChainId: number; id: bigint },
  solver: Address,
) => Promise<ObservedDelivery | null>

/** How far back a delivery is looked for at first. */
const RECENT_BLOCKS = 1_000n

export function deliveryFinder(chain: TrafficChain): DeliveryFinder {
  const found = new Map<string, ObservedDelivery>()
  return async ({ sourceChainId, id }, solver) => {
    const key = `${sourceChainId}/${id}/${solver}`
    const known = found.get(key)
    if (known) return known
    const chain2IntentId = await chain.client.readContract({
      address: chain.contracts.bridge,
      abi: bridgeIntentV2Abi,
      functionName: 'deliveryOf',
      args: [BigInt(sourceChainId), id, solver],
    })
    if (chain2IntentId === 0n) return null
    const delivery = await findDelivery(chain, chain2IntentId)
    found.set(key, delivery)
    return delivery
  }
}

async function findDelivery(chain: TrafficChain, id: bigint): Promise<ObservedDelivery> {
  const head = await chain.client.getBlockNumber()
  const recent = head > RECENT_BLOCKS ? head - RECENT_BLOCKS : 0n
  const delivery = (await searchFrom(chain, id, recent)) ?? (await searchFrom(chain, id, 0n))
  if (!delivery) throw new Error(`delivery ${id} has no log`)
  return delivery
}

async function searchFrom(
  { client, contracts }: TrafficChain,
  chain2IntentId: bigint,
  fromBlock: bigint,
): Promise<ObservedDelivery | null> {
  const [log] = await client.getLogs({
    address: contracts.bridge,
    event: getAbiItem({ abi: bridgeIntentV2Abi, name: 'IntentSolved' }),
    args: { chain2IntentId },
    fromBlock,
    strict: true,
  })
  if (!log) return null
  const { timestamp } = await client.getBlock({ blockNumber: log.blockNumber })
  return {
    chain2IntentId,
    solveTxHash: log.transactionHash,
    amountB: log.args.amountB,
    solvedAt: Number(timestamp),
  }
}
