import { isAddressEqual, zeroAddress } from 'viem'
import { isDevelopmentChain } from '../../core/chain/developmentChains.ts'
import type { Artifacts } from '../artifacts.ts'
import { computeExpectedRuntimeCode } from './computeExpectedRuntimeCode.ts'
import { requireChain } from './deployChain.ts'
import { computeDeploymentAddresses, type DeploymentAddresses } from './deploymentAddresses.ts'
import type { DeploymentSettings, ReadClient } from './deploymentSettings.ts'
import { findUnexpectedListEntries, listExpectedListEntries } from './expectedListEntries.ts'
import { findDepthProblem } from './findDeploymentProblems.ts'
import { findForeignCreations } from './findForeignCreations.ts'
import { findPendingChanges } from './findPendingChanges.ts'
import { listDeploymentSteps } from './listDeploymentSteps.ts'

/** A difference between a chain and its deployment file. */
export type Finding = { contract: string; what: string; expected: string; actual: string }

/**
 * Compares a chain with its deployment: code byte by byte (and so every immutable), the transactions that created it, each
 * immutable by name, owners, every list in both directions, announced changes, the confirmation depth.
 *
 * @returns the differences; empty if there are none
 * @throws Error when the chain is a different one, or the node doesn't answer
 */
export async function checkChainDeployment(
  client: ReadClient,
  deployment: DeploymentSettings,
  artifacts: Artifacts,
): Promise<Finding[]> {
  await requireChain(client, deployment)
  const code = await codeFindings(client, deployment, artifacts)
  // Without code there is nothing to call.
  if (code.some(({ actual }) => actual === 'no code')) return code
  const addresses = computeDeploymentAddresses(deployment.deployer, deployment.salt)
  const fromBlock = BigInt(deployment.startBlock ?? 0)
  return [
    ...code,
    ...(await findForeignCreations(client, deployment, artifacts)),
    ...(await valueFindings(client, deployment, addresses, artifacts)),
    ...(await findUnexpectedListEntries(client, deployment, addresses, artifacts)),
    ...(await findPendingChanges(client, addresses.bridge, artifacts, fromBlock)),
    ...(await surroundings(client, deployment)),
  ]
}

async function codeFindings(
  client: ReadClient,
  deployment: DeploymentSettings,
  artifacts: Artifacts,
): Promise<Finding[]> {
  const found = await Promise.all(
    listDeploymentSteps(deployment, artifacts).map(async (step): Promise<Finding[]> => {
      const about = { contract: step.contract, what: `code at ${step.address}` }
      const [actual, expected] = await Promise.all([
        client.getCode({ address: step.address }),
        computeExpectedRuntimeCode(client, step),
      ])
      if (actual === undefined) return [{ ...about, expected: 'some', actual: 'no code' }]
      if (expected === null)
        return [{ ...about, expected: 'a node with state overrides', actual: 'not compared' }]
      if (actual === expected) return []
      return [{ ...about, expected: 'the code these arguments create', actual: 'other code' }]
    }),
  )
  return found.flat()
}

/** A getter with its arguments and expected result. */
export type Expectation = {
  contract: 'BridgeIntentV2' | 'EnclaveKeyRegistry' | 'OrderVault' | 'CreationGateway' | 'verifier'
  getter: string
  args?: readonly unknown[]
  value: unknown
}

async function valueFindings(
  client: ReadClient,
  deployment: DeploymentSettings,
  addresses: DeploymentAddresses,
  artifacts: Artifacts,
): Promise<Finding[]> {
  const expectations = [
    ...expectedValues(deployment, addresses),
    ...listExpectedListEntries(deployment, addresses),
  ]
  const found = await Promise.all(
    expectations.map(async ({ contract, getter, args = [], value }): Promise<Finding[]> => {
      const actual = await client
        .readContract({
          address: addressOf(contract, addresses),
          abi: artifacts[nameOf(contract, deployment)].abi,
          functionName: getter,
          args,
        })
        .catch(() => 'no answer')
      const what = `${getter}(${args.join(', ')})`
      const [expectedText, actualText] = [textOf(value), textOf(actual)]
      if (expectedText === actualText) return []
      return [{ contract, what, expected: expectedText, actual: actualText }]
    }),
  )
  return found.flat()
}

function expectedValues(
  { owner, treasury, forfeitReceiver, windows, registry, vault, gateway }: DeploymentSettings,
  addresses: DeploymentAddresses,
): Expectation[] {
  const of = (contract: Expectation['contract'], values: Record<string, unknown>) =>
    Object.entries(values).map(([getter, value]) => ({ contract, getter, value }))
  const { verifier } = registry
  return [
    ...of('BridgeIntentV2', {
      owner,
      pendingOwner: zeroAddress,
      treasury,
      FORFEIT_RECEIVER: forfeitReceiver,
      REGISTRY: addresses.registry,
      MIN_AUCTION_DURATION: windows.minAuctionDuration,
      FIRM_SECONDS: windows.firmSeconds,
      PICKUP_WINDOW: windows.pickupWindow,
      EXECUTION_WINDOW: windows.executionWindow,
      SETTLEMENT_GRACE: windows.settlementGrace,
      ANNOUNCEMENT_DELAY: windows.announcementDelay,
      creationPaused: false,
    }),
    ...of('EnclaveKeyRegistry', {
      owner,
      pendingOwner: zeroAddress,
      verifier: addresses.verifier,
      proposedVerifier: zeroAddress,
      ACCEPTS_DEBUG: registry.acceptsDebug,
      KEY_LIFETIME: registry.keyLifetime,
      ACTIVATION_DELAY: registry.activationDelay,
      ADDITION_DELAY: registry.additionDelay,
      operatorCount: registry.operators.length,
    }),
    ...of(
      'verifier',
      verifier.kind === 'development'
        ? { QUOTING_KEY: verifier.quotingKey }
        : { DCAP: verifier.upstream },
    ),
    ...of('OrderVault', {
      BRIDGE: addresses.bridge,
      REGISTRY: addresses.registry,
      FUNDING_WINDOW: vault.fundingWindow,
      CLOSE_DELAY: vault.closeDelay,
    }),
    ...of('CreationGateway', {
      BRIDGE: addresses.bridge,
      PERMIT2: gateway.permit2,
      WETH: gateway.weth,
    }),
  ]
}

function addressOf(contract: Expectation['contract'], addresses: DeploymentAddresses) {
  const keys = {
    BridgeIntentV2: 'bridge',
    EnclaveKeyRegistry: 'registry',
    OrderVault: 'vault',
    CreationGateway: 'gateway',
    verifier: 'verifier',
  } as const
  return addresses[keys[contract]]
}

function nameOf(contract: Expectation['contract'], { registry }: DeploymentSettings) {
  if (contract !== 'verifier') return contract
  return registry.verifier.kind === 'development'
    ? 'DevelopmentAttestationVerifier'
    : 'DcapAttestationVerifier'
}

/** Compares as text: addresses in any case, numbers of any type, tuples by value. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return String(value).toLowerCase()
}

/** Contracts the deployment relies on but doesn't create. */
async function surroundings(
  client: ReadClient,
  deployment: DeploymentSettings,
): Promise<Finding[]> {
  const { permit2, weth } = deployment.gateway
  const depended = Object.entries({ permit2, weth }).filter(
    ([, address]) => !isAddressEqual(address, zeroAddress),
  )
  if (!isDevelopmentChain(deployment.chainId)) depended.push(['owner', deployment.owner])
  const codes = await Promise.all(depended.map(([, address]) => client.getCode({ address })))
  const missing = depended.filter((_, position) => codes[position] === undefined)
  const depth = findDepthProblem(deployment)
  return [
    ...missing.map(([name, address]) => ({
      contract: 'the file',
      what: `${name} ${address}`,
      expected: name === 'owner' ? 'a multisig' : 'a contract',
      actual: 'no code',
    })),
    ...(depth === null
      ? []
      : [{ contract: 'the file', what: 'confirmations', expected: 'fewer', actual: depth }]),
  ]
}
