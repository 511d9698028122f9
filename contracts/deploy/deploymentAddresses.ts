import type { Address } from 'viem'
import { CREATE3_FACTORY, create3Address, create3Salt } from './create3.ts'

/** The addresses of a deployment's contracts, the same on every chain. */
export type DeploymentAddresses = {
  factory: Address
  verifier: Address
  registry: Address
  vault: Address
  gateway: Address
  bridge: Address
}

/** The contracts in deployment order: each constructor finds the contracts it reads. */
export const DEPLOYED_NAMES = ['verifier', 'registry', 'vault', 'gateway', 'bridge'] as const
export type DeployedName = (typeof DEPLOYED_NAMES)[number]

/** Derived from the deployer and the salt alone, without asking a chain. */
export function computeDeploymentAddresses(deployer: Address, salt: string): DeploymentAddresses {
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
