import { type Address, getAddress, type Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { encodeDeployment, predictSafe } from '../../core/safe/predictSafe.ts'
import type { SafeContracts } from '../../core/safe/safeContracts.ts'
import type { SafeCall } from '../../sdk/safe/safeTransaction.ts'

/** A stealth key's Safe, deployed or not. */
type OwnedSafe = {
  owner: PrivateKeyAccount
  safeAddress: Address
  /** The call that deploys it; anyone may send it. */
  deployment: SafeCall
}

/** Predicts the Safe that is paid for a stealth address, from the key alone. */
export function predictOwnedSafe(
  chainId: number,
  owner: PrivateKeyAccount,
  contracts: SafeContracts,
): OwnedSafe {
  const safe = predictSafe(owner.address.toLowerCase() as Hex, chainId, contracts)
  const data = encodeDeployment(safe, contracts)
  const deployment = { to: contracts.proxyFactory, value: 0n, data }
  return { owner, safeAddress: getAddress(safe.address), deployment }
}
