import type { SafeContracts } from '../../core/safe/safeContracts.ts'
import type { SweepChain } from './sweepChain.ts'
import { SweepError } from './sweepError.ts'

/** Requires that the chain has the contracts of Safe 1.4.1. Throws SweepError `SAFE_CONTRACTS_MISSING`. */
export async function requireSafeContracts(
  { client, name }: SweepChain,
  contracts: SafeContracts,
): Promise<void> {
  for (const [role, address] of Object.entries(contracts)) {
    if (await client.getCode({ address })) continue
    throw new SweepError(
      'SAFE_CONTRACTS_MISSING',
      `${name} has no ${role} of Safe 1.4.1 at ${address}: is --rpc a node of the chain you were paid on?`,
    )
  }
}
