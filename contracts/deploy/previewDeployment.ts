import type { Address, StateOverride } from 'viem'
import type { Artifacts, ContractName } from '../artifacts.ts'
import { missingSteps, requireChain } from './deployChain.ts'
import type { DeploymentSettings, ReadClient } from './deploymentSettings.ts'
import { listDeploymentSteps, type Step } from './listDeploymentSteps.ts'

/** What a deployment would do for one contract. */
export type PlannedStep = {
  contract: ContractName
  address: Address
  arguments: Record<string, unknown>
  /** False if it already exists. */
  toCreate: boolean
  /** Gas of its transaction; null if it can't be estimated before the others exist. */
  gas: bigint | null
}

/** Any code: constructors check that the addresses they are given have some. */
const SOME_CODE = '0x00'
/** The factory's own gas: proxy, event, call. */
const FACTORY_GAS = 75_000n

/** What `deployChain` would do. Sends nothing. */
export async function previewDeployment(
  client: ReadClient,
  deployment: DeploymentSettings,
  artifacts: Artifacts,
): Promise<PlannedStep[]> {
  await requireChain(client, deployment)
  const steps = listDeploymentSteps(deployment, artifacts)
  const missing = new Set(await missingSteps(client, steps))
  const stateOverride = [...missing].map(({ address }) => ({ address, code: SOME_CODE }) as const)
  return Promise.all(
    steps.map(async (step) => {
      const toCreate = missing.has(step)
      const gas = toCreate ? await gasOf(client, deployment, step, stateOverride) : 0n
      return { ...pick(step), toCreate, gas }
    }),
  )
}

function pick({ contract, address, arguments: given }: Step) {
  return { contract, address, arguments: given }
}

async function gasOf(
  client: ReadClient,
  { deployer }: DeploymentSettings,
  { creationCode, contract }: Step,
  stateOverride: StateOverride,
): Promise<bigint | null> {
  try {
    const account = deployer
    const alone = await client.estimateGas({ account, data: creationCode, stateOverride })
    return contract === 'Create3Factory' ? alone : alone + FACTORY_GAS
  } catch {
    return null
  }
}
