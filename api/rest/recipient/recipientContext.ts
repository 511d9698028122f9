import type { EntryVerifier } from '../../../services/relayer/recipients/entries/entryVerifier.ts'
import type { WriteContext } from '../writeContext.ts'
import type { DeployedSafes } from './deployedSafes.ts'
import type { RequireListing } from './listingLimit.ts'
import type { SafeCreationFinder } from './safeCreationFinder.ts'
import type { WalletVerifier } from './walletVerifier.ts'

/** Dependencies of the recipients' endpoints. */
export type RecipientContext = WriteContext & {
  wallets: WalletVerifier
  entries: EntryVerifier
  deployed: DeployedSafes
  creations: SafeCreationFinder
  requireListing: RequireListing
}
