import { type Address, encodeFunctionData, getAddress, type Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { predictSafe } from '../../core/safe/predictSafe.ts'
import { safeProxyFactoryAbi } from '../../core/safe/safeAbi.ts'
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
  const { address, initializer, saltNonce } = predictSafe(
    owner.address.toLowerCase() as Hex,
    chainId,
    contracts,
  )
  const data = encodeFunctionData({
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [contracts.singleton, initializer, saltNonce],
  })
  const deployment = { to: contracts.proxyFactory, value: 0n, data }
  return { owner, safeAddress: getAddress(address), deployment }
}
