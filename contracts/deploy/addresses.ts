import type { Address } from 'viem'
import { CREATE3_FACTORY, create3Address, create3Salt } from './create3.ts'

/** Where the contracts of a deployment are, on every chain alike. */
export type DeploymentAddresses = {
  factory: Address
  verifier: Address
  registry: Address
  vault: Address
  gateway: Address
  bridge: Address
}

/** The contracts to deploy, in an order in which each constructor finds what it reads. */
export const DEPLOYED_NAMES = ['verifier', 'registry', 'vault', 'gateway', 'bridge'] as const
export type DeployedName = (typeof DEPLOYED_NAMES)[number]

/** Follows from who deploys and the salt alone; no chain is asked. */
export function deploymentAddresses(deployer: Address, salt: string): DeploymentAddresses {
  const at = (name: DeployedName) => create3Address(deployer, create3Salt(salt, name))
  return {
    factory: CREATE3_FACTORY,
    verifier: at('verifier'),
    registry: at('registry'),
    vault: at('vault'),
    gateway: at('gateway'),
    bridge: at('bridge'),
  }
}
