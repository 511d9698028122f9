import { type Address, isAddressEqual } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { safeAbi } from '../../core/safe/safeAbi.ts'
import type { SweepChain } from './connectChain.ts'
import { contractAnswerOrNull } from './contractAnswerOrNull.ts'
import { SweepError } from './sweepError.ts'

/** The present state of one stealth key's Safe. */
export type SweptSafe = {
  owner: PrivateKeyAccount
  safeAddress: Address
  isDeployed: boolean
  /** Of the Safe's next transaction. */
  nonce: bigint
}

/**
 * Reads a Safe's state.
 *
 * @throws SweepError `NOT_A_SAFE`; `NOT_THE_OWNER` when the stealth key alone can't sign for it
 */
export async function inspectSafe(
  { client }: SweepChain,
  owner: PrivateKeyAccount,
  safeAddress: Address,
): Promise<SweptSafe> {
  if (!(await client.getCode({ address: safeAddress }))) {
    return { owner, safeAddress, isDeployed: false, nonce: 0n }
  }
  const safe = { address: safeAddress, abi: safeAbi } as const
  const [owners, threshold, nonce] = await Promise.all([
    contractAnswerOrNull(client.readContract({ ...safe, functionName: 'getOwners' })),
    contractAnswerOrNull(client.readContract({ ...safe, functionName: 'getThreshold' })),
    contractAnswerOrNull(client.readContract({ ...safe, functionName: 'nonce' })),
  ])
  if (owners === null || threshold === null || nonce === null) {
    throw new SweepError(
      'NOT_A_SAFE',
      `what is at ${safeAddress} doesn't answer as a Safe: name another node`,
    )
  }
  if (threshold !== 1n || !owners.some((one) => isAddressEqual(one, owner.address))) {
    throw new SweepError(
      'NOT_THE_OWNER',
      `the Safe ${safeAddress} has ${owners.length} owners and needs ${threshold} signatures: the stealth key alone can't move its funds. Use the Safe app`,
    )
  }
  return { owner, safeAddress, isDeployed: true, nonce }
}
