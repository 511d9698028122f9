import { type Abi, type Address, decodeFunctionData, type Hex } from 'viem'
import type { Artifacts } from '../artifacts.ts'
import type { Finding } from './checkChainDeployment.ts'
import type { ReadClient } from './deploymentSettings.ts'
import { reportUnreadableEvents } from './reportUnreadableEvents.ts'

/** Finds announced changes of the bridge that anyone can still enact: they never expire. */
export async function findPendingChanges(
  client: ReadClient,
  bridge: Address,
  artifacts: Artifacts,
  fromBlock: bigint,
): Promise<Finding[]> {
  const { abi } = artifacts.BridgeIntentV2
  const about = { contract: 'BridgeIntentV2', event: 'ChangeAnnounced', fromBlock }
  return await reportUnreadableEvents(about, async () => {
    const logs = await client.getContractEvents({
      address: bridge,
      abi,
      eventName: about.event,
      fromBlock,
      strict: true,
    })
    const announced = logs as unknown as { args: { change: Hex } }[]
    const changes = [...new Set(announced.map(({ args }) => args.change))]
    const findings = changes.map(async (change): Promise<Finding[]> => {
      const call = { address: bridge, abi, functionName: 'changeActiveAt', args: [change] }
      const activeAt = Number(await client.readContract(call))
      if (activeAt === 0) return []
      const actual = `pending, from ${new Date(activeAt * 1_000).toISOString()}`
      return [{ contract: about.contract, what: nameCall(abi, change), expected: 'none', actual }]
    })
    return (await Promise.all(findings)).flat()
  })
}

function nameCall(abi: Abi, change: Hex): string {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi, data: change })
    return `announced ${functionName}(${args.join(', ')})`
  } catch {
    return `announced ${change}`
  }
}
