import { type Address, type Hash, isAddressEqual } from 'viem'
import type { Artifacts } from '../artifacts.ts'
import type { Finding } from './checkChainDeployment.ts'
import { CREATE3_FACTORY } from './create3.ts'
import type { DeploymentSettings, ReadClient } from './deploymentSettings.ts'
import { listDeploymentSteps, type Step } from './listDeploymentSteps.ts'
import { reportUnreadableEvents } from './reportUnreadableEvents.ts'

/**
 * The contracts that another transaction created than the one the deployment sends. Creation code can leave the code
 * that is expected, and in the storage what no getter or event shows, such as a key or a credit.
 */
export async function findForeignCreations(
  client: ReadClient,
  deployment: DeploymentSettings,
  artifacts: Artifacts,
): Promise<Finding[]> {
  const { deployer, startBlock = 0 } = deployment
  // The factory's address follows from its creation code.
  const created = listDeploymentSteps(deployment, artifacts).filter(({ creator }) => creator)
  const about = { contract: 'Create3Factory', event: 'Created', fromBlock: BigInt(startBlock) }
  return await reportUnreadableEvents(about, async () => {
    const logs = await client.getContractEvents({
      address: CREATE3_FACTORY,
      abi: artifacts.Create3Factory.abi,
      eventName: 'Created',
      args: { creator: deployer },
      fromBlock: about.fromBlock,
      strict: true,
    })
    const found = logs as unknown as { args: { created: Address }; transactionHash: Hash }[]
    const findings = created.map(async (step) => {
      const log = found.find(({ args }) => isAddressEqual(args.created, step.address))
      return await findDifference(client, step, log?.transactionHash)
    })
    return (await Promise.all(findings)).flat()
  })
}

async function findDifference(
  client: ReadClient,
  { contract, address, call }: Step,
  hash: Hash | undefined,
): Promise<Finding[]> {
  const about = { contract, what: `creation of ${address}`, expected: "the deployment's own call" }
  if (hash === undefined) return [{ ...about, actual: 'none since startBlock' }]
  const { to, input } = await client.getTransaction({ hash })
  if (to !== null && isAddressEqual(to, call.to) && input === call.data) return []
  return [{ ...about, actual: `another in ${hash}` }]
}
