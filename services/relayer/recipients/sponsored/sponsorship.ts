import type { Address } from 'viem'
import type { SafeContracts } from '../../../../core/safe/safeContracts.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { DataFees } from '../../../chain/transactions/dataFees.ts'
import type { Nodes } from '../../../chain/transactions/nodes.ts'
import type { SponsorLimits } from '../../../config/sponsorLimits.ts'
import type { Db } from '../../../store/database/database.ts'

/** What sponsoring on one chain needs. */
export type Sponsorship = {
  /** May write schema `app`. */
  db: Db
  chainId: number
  /** Tokens that the chain's configuration lists, lower case; those of its bridge are listed too. */
  tokens: readonly Hex[]
  /** Blocks on top of one that make what it holds count as settled. */
  confirmations: number
  contracts: SafeContracts
  /** What data costs beside gas, on rollups. */
  dataFees: DataFees
  nodes: Pick<Nodes, 'askAll' | 'priorityFees'>
  /** The relayer's account, which pays. */
  account: Address
  limits: SponsorLimits
}

/** Who asks. */
export type Asker = {
  /** Network address; never stored as it is. Null: it comes with another's request. */
  client: string | null
  /**
   * Counts a transaction for the Safe, and then for the client, once the request is known to be the
   * owner's. Throws when either is too fast; the client isn't charged for what the Safe's limit
   * refuses.
   */
  take(safeAddress: Hex): void
}
