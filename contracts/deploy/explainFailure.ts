import { BaseError, InsufficientFundsError } from 'viem'
import { hideUrls } from '../../services/log/hideUrls.ts'
import type { DeploymentSettings } from './deploymentSettings.ts'

/**
 * Why a chain's deployment, plan or check failed, in a line: viem's own message quotes whole contracts, and the node's URL,
 * which may contain a key.
 */
export function explainFailure(
  { chainId, deployer }: Pick<DeploymentSettings, 'chainId' | 'deployer'>,
  error: unknown,
): string {
  if (!(error instanceof BaseError))
    return `chain ${chainId}: ${error instanceof Error ? error.message : String(error)}`
  const isPoor = error.walk((cause) => cause instanceof InsufficientFundsError) !== null
  if (isPoor)
    return `chain ${chainId}: the deployer ${deployer} can't pay for the gas: send it some of the chain's coin (--dry-run shows how much gas it takes), then deploy again`
  const details = error.details ? ` (${error.details})` : ''
  return hideUrls(`chain ${chainId}: ${error.shortMessage}${details}`)
}
