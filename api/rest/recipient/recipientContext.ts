import type { WriteContext } from '../writeContext.ts'
import type { ContractWallets } from './contractWallets.ts'
import type { DeployedSafes } from './deployedSafes.ts'
import type { SafeCreations } from './safeCreations.ts'

/** What the recipients' endpoints are made of. */
export type RecipientContext = WriteContext & {
  wallets: ContractWallets
  deployed: DeployedSafes
  creations: SafeCreations
}
