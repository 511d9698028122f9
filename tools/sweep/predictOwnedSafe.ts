import { type Address, getAddress, type Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { deploymentCall, predictSafe } from '../../core/safe/predictSafe.ts'
import type { SafeContracts } from '../../core/safe/safeContracts.ts'
import type { SafeCall } from '../../sdk/safe/safeTransaction.ts'

/** A stealth key's Safe, whether it is there or not. */
type OwnedSafe = {
  owner: PrivateKeyAccount
  safeAddress: Address
  /** What deploys it; anybody may send that. */
  deployment: SafeCall
}

/** The Safe that the service makes out for a stealth address, computed from the key alone. */
export function predictOwnedSafe(
  chainId: number,
  owner: PrivateKeyAccount,
  contracts: SafeContracts,
): OwnedSafe {
  const safe = predictSafe(owner.address.toLowerCase() as Hex, chainId, contracts)
  const data = deploymentCall(safe, contracts)
  const deployment = { to: contracts.proxyFactory, value: 0n, data }
  return { owner, safeAddress: getAddress(safe.address), deployment }
}
