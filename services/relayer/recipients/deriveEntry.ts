import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { BundleError } from '../terms/bundleError.ts'
import type { IntentTerms } from '../terms/intentTerms.ts'
import type { StealthEntry } from './entries/stealthEntry.ts'
import type { Registered } from './registration/findRegistered.ts'

/**
 * Where a delivery goes: the same for the same delivery.
 *
 * @throws BundleError `DESTINATION_NOT_FOLLOWED`
 */
export async function deriveEntry(
  enclave: Pick<Enclave, 'deriveStealth'>,
  { destChainId: chainId, intentId }: Pick<IntentTerms, 'destChainId' | 'intentId'>,
  { recipientAddress, contractOn }: Pick<Registered, 'recipientAddress' | 'contractOn'>,
  index: number,
  createdAt: number,
): Promise<StealthEntry> {
  const delivery = { recipientAddress, contractOn, chainId, intentId, index }
  const stealth = await enclave.deriveStealth(delivery).catch((error: unknown) => {
    throw isUnknownChain(error) ? notFollowed(chainId) : error
  })
  const { spendPubKey: _, viewPubKey: __, ...entry } = stealth
  return { ...entry, chainId, intentId, index, askedBy: null, createdAt }
}

function isUnknownChain(error: unknown): boolean {
  return error instanceof EnclaveError && error.code === 'CHAIN_NOT_CONFIGURED'
}

function notFollowed(chainId: number): BundleError {
  return new BundleError(
    'DESTINATION_NOT_FOLLOWED',
    `a registered wallet is paid at a Safe of its own, and chain ${chainId}, on which the intent pays, is not followed here: name an address that isn't registered, or cancel the intent`,
  )
}
