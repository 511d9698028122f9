import { accountSender } from '../../chain/accountSender.ts'
import type { DevnetAccounts } from '../accounts.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { appointRelayer } from './appointRelayer.ts'
import { deployCreate2 } from './deployCreate2.ts'
import { deployMulticall } from './deployMulticall.ts'
import { deploySafeSuite } from './deploySafeSuite.ts'
import type { DevnetContracts } from './devnetContracts.ts'
import { fundAccounts } from './fundAccounts.ts'
import { openBridge } from './openBridge.ts'
import { registerAttester } from './registerAttester.ts'

/**
 * Brings one chain to where the devnet needs it: contracts, allow-lists, relayer, attester, funds. What is
 * there already is left alone, so a second run sends nothing.
 */
export async function deployDevnet(
  client: DevnetClient,
  contracts: DevnetContracts,
  accounts: DevnetAccounts,
  destinations: readonly number[],
): Promise<void> {
  const deployer = accountSender(client, accounts.deployer, 100)
  await Promise.all([
    deployMulticall(client),
    deploySafeSuite(client, deployer),
    deployCreate2(client, deployer, contracts.initcodes),
  ])
  await Promise.all([
    openBridge(client, deployer, contracts, destinations),
    appointRelayer(client, deployer, contracts.bridge, accounts.relayer.address),
    registerAttester(client, deployer, contracts, accounts),
    fundAccounts(client, deployer, contracts, accounts),
  ])
}
