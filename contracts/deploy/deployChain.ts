import type { Hash } from 'viem'
import { waitForReceipt } from '../../sdk/client/waitForReceipt.ts'
import type { Artifacts, ContractName } from '../artifacts.ts'
import { CREATE2_DEPLOYER } from './create3.ts'
import { computeDeploymentAddresses, type DeploymentAddresses } from './deploymentAddresses.ts'
import type { DeployClient, DeploymentSettings, ReadClient } from './deploymentSettings.ts'
import { explainCreationFailure } from './explainCreationFailure.ts'
import { listDeploymentSteps, type Step } from './listDeploymentSteps.ts'

export type Deployed = DeploymentAddresses & {
  /** Contracts this run created; empty if all existed. */
  created: ContractName[]
  /** A block no later than anything this run created; the current block if it created nothing. */
  block: bigint
}

/** Below EIP-7825's limit for a transaction, above what any creation needs. */
const GAS = 16_000_000n

/**
 * Creates one chain's contracts. Skips existing ones, so a second run sends nothing, and the next run completes an
 * interrupted one.
 *
 * @param options `together`: send all transactions at once with a gas limit of 16 million each, for
 *   development chains. Otherwise each waits for the previous one, with the gas it needs.
 * @throws Error when the chain, the sending account or the chain's CREATE2 deployer isn't what the
 *   deployment needs, or when something wasn't created
 */
export async function deployChain(
  client: DeployClient,
  deployment: DeploymentSettings,
  artifacts: Artifacts,
  options: { together?: boolean; pollingInterval?: number } = {},
): Promise<Deployed> {
  await requireReady(client, deployment)
  const block = await client.getBlockNumber()
  const missing = await missingSteps(client, listDeploymentSteps(deployment, artifacts))
  const send = options.together ? sendTogether : sendInTurn
  await send(client, missing, artifacts, options.pollingInterval)
  const created = missing.map((step) => step.contract)
  return { ...computeDeploymentAddresses(deployment.deployer, deployment.salt), created, block }
}

/** Steps whose contract doesn't exist yet. */
export async function missingSteps(client: ReadClient, steps: Step[]): Promise<Step[]> {
  const codes = await Promise.all(steps.map(({ address }) => client.getCode({ address })))
  return steps.filter((_, position) => codes[position] === undefined)
}

/** @throws Error when the chain id differs, or the chain has no CREATE2 deployer */
export async function requireChain(
  client: ReadClient,
  { chainId }: DeploymentSettings,
): Promise<void> {
  const actual = await client.getChainId()
  if (actual !== chainId)
    throw new Error(`expected chain ${chainId}, but its RPC endpoint serves chain ${actual}`)
  if ((await client.getCode({ address: CREATE2_DEPLOYER })) === undefined)
    throw new Error(`chain ${chainId} has no CREATE2 deployer at ${CREATE2_DEPLOYER}`)
}

async function requireReady(client: DeployClient, deployment: DeploymentSettings): Promise<void> {
  await requireChain(client, deployment)
  const sender = client.account.address
  if (sender.toLowerCase() !== deployment.deployer.toLowerCase())
    throw new Error(
      `expected deployer ${deployment.deployer}, not ${sender}: every address follows from it`,
    )
}

async function sendInTurn(
  client: DeployClient,
  steps: Step[],
  artifacts: Artifacts,
  pollingInterval?: number,
): Promise<void> {
  for (const step of steps) {
    const problem = await explainCreationFailure(client, step, artifacts)
    if (problem) throw new Error(`${step.contract} can't be created: ${problem}`)
    const hash = await client.sendTransaction(step.call)
    await requireCreated(client, step, hash, artifacts, pollingInterval)
  }
}

async function sendTogether(
  client: DeployClient,
  steps: Step[],
  artifacts: Artifacts,
  pollingInterval?: number,
): Promise<void> {
  const { address } = client.account
  const first = await client.getTransactionCount({ address, blockTag: 'pending' })
  const hashes: Hash[] = []
  for (const [position, step] of steps.entries())
    hashes.push(await client.sendTransaction({ ...step.call, gas: GAS, nonce: first + position }))
  await Promise.all(
    steps.map((step, position) =>
      requireCreated(client, step, hashes[position]!, artifacts, pollingInterval),
    ),
  )
}

async function requireCreated(
  client: DeployClient,
  step: Step,
  hash: Hash,
  artifacts: Artifacts,
  pollingInterval = 1_000,
): Promise<void> {
  const { address, contract } = step
  const { status } = await waitForReceipt(client, { hash, pollingInterval })
  if (status === 'success' && (await client.getCode({ address })) !== undefined) return
  const problem = await explainCreationFailure(client, step, artifacts)
  throw new Error(`${contract} wasn't created by ${hash}: ${problem ?? 'not enough gas'}`)
}
