import type { WriteContext } from '../writeContext.ts'
import type { ContractWallets } from './contractWallets.ts'

/** What the recipients' endpoints are made of. */
export type RecipientContext = WriteContext & {
  contracts: ContractWallets
}
