import { isDevelopmentChain } from '../../core/chain/developmentChains.ts'
import type { DeploymentSettings } from './deploymentSettings.ts'

const LEAST_ESCROW = 10_000n
const MOST_ESCROW = 2n ** 96n - 1n

/** Problems of a deployment that are evident without asking a chain. */
export function findDeploymentProblems(deployment: DeploymentSettings): string[] {
  return [
    ...tokenProblems(deployment),
    ...windowProblems(deployment),
    ...registryProblems(deployment),
    ...repeated('destinations', deployment.destinations),
    ...repeated(
      'tokens',
      deployment.tokens.map(({ token }) => token),
    ),
    ...repeated('registry.operators', deployment.registry.operators),
    ...(deployment.destinations.includes(deployment.chainId)
      ? ['destinations: a chain can’t be its own destination']
      : []),
  ]
}

/**
 * A deposit needs the enclaves' confirmations before its winner can get the recipients, and the winner may request them on
 * chain once a quarter of the execution window has passed.
 */
export function findDepthProblem(deployment: DeploymentSettings): string | null {
  const { confirmations, blockSeconds, windows } = deployment
  const most = windows.executionWindow / 4
  if (confirmations * blockSeconds <= most) return null
  return (
    `${confirmations} confirmations of ${blockSeconds} s each take longer than a quarter of the ` +
    `execution window (${most} s): winners couldn't get their recipients in time`
  )
}

function tokenProblems({ tokens, registry }: DeploymentSettings): string[] {
  return tokens.flatMap(({ token, minEscrow, maxEscrow, quorum }) => [
    ...(minEscrow < LEAST_ESCROW || minEscrow > maxEscrow || maxEscrow > MOST_ESCROW
      ? [`token ${token}: expected ${LEAST_ESCROW} <= minEscrow <= maxEscrow <= ${MOST_ESCROW}`]
      : []),
    ...(quorum > registry.operators.length
      ? [
          `token ${token}: ${quorum} signatures of different operators, but there are fewer operators`,
        ]
      : []),
  ])
}

function windowProblems(deployment: DeploymentSettings): string[] {
  const { windows, registry, chainId } = deployment
  const depth = findDepthProblem(deployment)
  const longest = windows.executionWindow + windows.settlementGrace
  return [
    ...(depth === null ? [] : [depth]),
    ...(registry.additionDelay <= longest && !isDevelopmentChain(chainId)
      ? [
          `registry.additionDelay: expected more than executionWindow + settlementGrace (${longest})`,
        ]
      : []),
  ]
}

function registryProblems({ chainId, registry }: DeploymentSettings): string[] {
  const isDevelopment = registry.verifier.kind === 'development'
  if (isDevelopmentChain(chainId)) {
    // Nobody can change it later, and no key could ever be registered.
    return isDevelopment && !registry.acceptsDebug
      ? ['registry.acceptsDebug: expected true, since development attestation counts as debug']
      : []
  }
  return [
    ...(isDevelopment
      ? ['registry.verifier: development attestation is for test networks only']
      : []),
    ...(registry.acceptsDebug
      ? ['registry.acceptsDebug: debug evidence is for test networks only']
      : []),
  ]
}

function repeated(name: string, values: readonly (string | number)[]): string[] {
  return new Set(values).size < values.length ? [`${name}: expected each once`] : []
}
