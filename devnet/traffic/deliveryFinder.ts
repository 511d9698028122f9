import { type Address, getAbiItem, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { ObservedDelivery } from './observedIntent.ts'
import type { TrafficChain } from './trafficChainClient.ts'

/** Finds a solver's first delivery for an intent on one chain; reads each block once. */
export type DeliveryFinder = (
  intent: { sourceChainId: number; id: bigint; paramsHash: Hex },
  solver: Address,
) => Promise<ObservedDelivery | null>

export function createDeliveryFinder(chain: TrafficChain): DeliveryFinder {
  const found = new Map<string, ObservedDelivery>()
  let reading: Promise<void> | null = null
  let next = 0n

  const readOn = async () => {
    const head = await chain.client.getBlockNumber()
    if (head < next) return
    for (const { key, delivery } of await deliveriesOf(chain, next, head))
      if (!found.has(key)) found.set(key, delivery)
    next = head + 1n
  }
  return async ({ sourceChainId, id, paramsHash }, solver) => {
    reading ??= readOn().finally(() => {
      reading = null
    })
    await reading
    return found.get(keyOf(sourceChainId, id, paramsHash, solver)) ?? null
  }
}

async function deliveriesOf({ client, contracts }: TrafficChain, fromBlock: bigint, head: bigint) {
  const logs = await client.getLogs({
    address: contracts.bridge,
    event: getAbiItem({ abi: bridgeIntentV2Abi, name: 'IntentSolved' }),
    fromBlock,
    toBlock: head,
    strict: true,
  })
  return Promise.all(
    logs.map(async ({ args, blockNumber, transactionHash }) => {
      const { timestamp } = await client.getBlock({ blockNumber })
      const delivery: ObservedDelivery = {
        chain2IntentId: args.chain2IntentId,
        solveTxHash: transactionHash,
        amountB: args.amountB,
        solvedAt: Number(timestamp),
      }
      const { sourceChainId, intentId, paramsHash, solver } = args
      return { key: keyOf(Number(sourceChainId), intentId, paramsHash, solver), delivery }
    }),
  )
}

function keyOf(sourceChainId: number, id: bigint, paramsHash: Hex, solver: Address): string {
  return [sourceChainId, id, paramsHash, solver.toLowerCase()].join('/')
}
