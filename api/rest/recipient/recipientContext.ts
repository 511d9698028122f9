import type { WriteContext } from '../writeContext.ts'
import type { ContractWallets } from './contractWallets.ts'
import type { DeployedSafes } from './deployedSafes.ts'
import type { SafeCreations } from './safeCreations.ts'

/** Dependencies of the recipients' endpoints. */
export type RecipientContext = WriteContext & {
  wallets: ContractWallets
  deployed: DeployedSafes
  creations: SafeCreations
}
