import { type Address, type Hash, type Hex, isAddressEqual } from 'viem'
import type { Artifacts } from '../artifacts.ts'
import type { Finding } from './checkChainDeployment.ts'
import { CREATE3_FACTORY, readCreate3Call } from './create3.ts'
import type { DeploymentSettings, ReadClient } from './deploymentSettings.ts'
import { listDeploymentSteps, type Step } from './listDeploymentSteps.ts'
import { reportUnreadableEvents } from './reportUnreadableEvents.ts'

/**
 * Finds contracts that weren't created by the deployment's own call with their own creation code. Other creation code can
 * leave the expected code, and a key or a credit in storage that no getter or event shows. The constructor's arguments may
 * differ, since the file follows later changes: what they set is compared elsewhere.
 */
export async function findForeignCreations(
  client: ReadClient,
  deployment: DeploymentSettings,
  artifacts: Artifacts,
): Promise<Finding[]> {
  const { deployer, startBlock = 0 } = deployment
  // The factory's address follows from its creation code.
  const steps = listDeploymentSteps(deployment, artifacts).filter(({ creator }) => creator)
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
    const creations = logs as unknown as { args: { created: Address }; transactionHash: Hash }[]
    const findings = steps.map(async (step): Promise<Finding[]> => {
      const { contract, address } = step
      const what = `creation of ${address}`
      const about = { contract, what, expected: 'its own creation code' }
      const creation = creations.find(({ args }) => isAddressEqual(args.created, address))
      if (!creation) return [{ ...about, actual: 'none since startBlock' }]
      const { transactionHash: hash } = creation
      const sent = await client.getTransaction({ hash })
      // Within another's transaction, code at the deployer's account could have created something else.
      const isByDeployer = isAddressEqual(sent.from, deployer)
      if (isByDeployer && isOwnCreation(step, artifacts[contract].bytecode, sent)) return []
      return [{ ...about, actual: `another call, ${hash}` }]
    })
    return (await Promise.all(findings)).flat()
  })
}

/** Whether a transaction is this step's, apart from the constructor's arguments. */
function isOwnCreation(
  { call }: Step,
  bytecode: Hex,
  { to, input }: { to: Address | null; input: Hex },
): boolean {
  const creation = readCreate3Call(input)
  return (
    to !== null &&
    isAddressEqual(to, CREATE3_FACTORY) &&
    creation !== null &&
    creation.salt === readCreate3Call(call.data)?.salt &&
    creation.creationCode.startsWith(bytecode)
  )
}
