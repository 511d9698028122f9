import { type Hex, keccak256 } from 'viem'
import { findChainName } from '../../core/chain/chainNames.ts'
import type { Finding } from './checkChainDeployment.ts'
import type { Deployed } from './deployChain.ts'
import type { DeploymentSettings } from './deploymentSettings.ts'
import type { PlannedStep } from './previewDeployment.ts'

/** `base_mainnet (8453)` */
function titleOf({ chainId }: DeploymentSettings): string {
  const name = findChainName(chainId)
  return name === null ? `chain ${chainId}` : `${name} (${chainId})`
}

/** Describes what would be done on one chain. */
export function formatPlan(deployment: DeploymentSettings, steps: readonly PlannedStep[]): string {
  const gas = steps.reduce((sum, step) => sum + (step.gas ?? 0n), 0n)
  const toCreate = steps.filter((step) => step.toCreate).length
  return [
    `${titleOf(deployment)}: ${toCreate} of ${steps.length} contracts to create, about ${gas} gas`,
    ...steps.flatMap((step) => [
      `  ${step.contract}`,
      `    at   ${step.address}${step.toCreate ? '' : '  (already exists)'}`,
      ...(step.toCreate ? [`    gas  ${step.gas ?? 'unknown until the others exist'}`] : []),
      ...Object.entries(step.arguments).map(([name, value]) => `    ${name}: ${valueText(value)}`),
    ]),
  ].join('\n')
}

export function formatDeployed(deployment: DeploymentSettings, deployed: Deployed): string {
  const { created, block, ...addresses } = deployed
  const news = created.length === 0 ? 'everything was there' : `created ${created.join(', ')}`
  return [
    `${titleOf(deployment)}: ${news}`,
    ...Object.entries(addresses).map(([name, address]) => `  ${name.padEnd(9)} ${address}`),
    ...(created.length === 0 ? [] : [`  startBlock ${block}`]),
  ].join('\n')
}

/** @param bridgeCode what is at the bridge's address: enclaves need its hash once it is checked */
export function formatCheck(
  deployment: DeploymentSettings,
  findings: readonly Finding[],
  bridgeCode: Hex | undefined,
): string {
  if (findings.length === 0) {
    const hash = bridgeCode ? `\n  bridgeCodeHash ${keccak256(bridgeCode)}` : ''
    return `${titleOf(deployment)}: matches the file${hash}`
  }
  const count = findings.length === 1 ? '1 difference' : `${findings.length} differences`
  return [
    `${titleOf(deployment)}: ${count}`,
    ...findings.map(
      ({ contract, what, expected, actual }) =>
        `  ${contract}: ${what}: expected ${expected}, found ${actual}`,
    ),
  ].join('\n')
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
}
