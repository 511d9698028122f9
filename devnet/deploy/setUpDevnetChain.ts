import { createWalletClient, custom, publicActions } from 'viem'
import { deployChain } from '../../contracts/deploy/deployChain.ts'
import type { DeployClient } from '../../contracts/deploy/deploymentSettings.ts'
import { createAccountSender } from '../../services/chain/accountSender.ts'
import type { DevnetAccounts } from '../accounts.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { buildDeploymentSettings, type DeploymentChoices } from './buildDeploymentSettings.ts'
import { deployCreate2 } from './deployCreate2.ts'
import { deployMulticall } from './deployMulticall.ts'
import { deployPermit2 } from './deployPermit2.ts'
import { deploySafeSuite } from './deploySafeSuite.ts'
import type { DevnetContracts } from './devnetContracts.ts'
import { fundAccounts } from './fundAccounts.ts'

const POLLING_INTERVAL = 100

/**
 * Sets up one chain of the devnet: contracts with their lists, funds, the rogue's stake. Idempotent: a second run sends
 * nothing. Enclaves register afterwards or in parallel.
 *
 * @param whenDeployed starts as soon as the contracts are deployed
 */
export async function setUpDevnetChain(
  client: DevnetClient,
  contracts: DevnetContracts,
  accounts: DevnetAccounts,
  destinations: readonly number[],
  choices: DeploymentChoices = {},
  whenDeployed: () => Promise<void> = async () => {},
): Promise<void> {
  const deployer = createAccountSender(client, accounts.deployer, POLLING_INTERVAL)
  await Promise.all([
    deployMulticall(client),
    deployPermit2(client, contracts.artifacts),
    deploySafeSuite(client, deployer),
    deployCreate2(client, deployer, contracts.tokenInitcodes),
  ])
  const deployment = buildDeploymentSettings(
    contracts,
    accounts,
    client.chain.id,
    destinations,
    choices,
  )
  await deployChain(deployClient(client, accounts), deployment, contracts.artifacts, {
    together: true,
    pollingInterval: POLLING_INTERVAL,
  })
  await Promise.all([fundAccounts(client, deployer, contracts, accounts), whenDeployed()])
}

/** The same node, as the deployment program takes it. */
function deployClient(
  { chain, request }: DevnetClient,
  { deployer }: DevnetAccounts,
): DeployClient {
  const transport = custom({ request: request as never })
  return createWalletClient({ account: deployer, chain, transport }).extend(
    publicActions,
  ) as unknown as DeployClient
}
