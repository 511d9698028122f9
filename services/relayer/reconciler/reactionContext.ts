import type { Address } from 'viem'
import type { DataFees } from '../../chain/transactions/rollupDataFees.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import type { ChainStateCache } from '../../store/chains/chainStateCache.ts'
import type { BundleContext } from '../bundles/recipientBundleStore.ts'
import type { Signing } from '../settlement/signingContext.ts'
import type { FairTurns } from './fairTurns.ts'
import type { EffectKind, Outcome } from './reconcilerEffect.ts'

/** What reactions need. */
export type ReactionContext = {
  /** The store of bundles. Its `db` also reads the projections. */
  bundles: BundleContext
  /** The first of them: opens, and pays. */
  enclave: Enclave
  /** Evidence, and the enclaves that sign by it. */
  signing: Signing
  chains: ChainStateCache
  configured: ReadonlyMap<number, ChainConfig>
  /** The account that pays for gas, lower case. */
  relayer: Address
  /** Seconds for which a refund that is due is left to others. */
  refundAfter: number
  /** Gas for anchors and appends of an intent, for each time that its fee is the least; see `mayPay`. */
  anchorGasPerMinimum: bigint
  /** Turns in which anchors and appends are signed. */
  turns: FairTurns
  /** What gas may cost, and what data costs in addition, by chain id. */
  prices: ReadonlyMap<number, GasPrices>
  onEvent: (event: ReactionEvent) => void
}

/** What transactions cost on one chain. */
export type GasPrices = {
  /** Wei for each gas, at most. */
  cap: bigint
  data: DataFees
}

/** What the reactions report; never anything of a bundle. */
export type ReactionEvent =
  | {
      type: 'reacted'
      kind: EffectKind
      sourceChainId: number
      intentId: bigint
      outcome: Outcome
      milliseconds: number
    }
  | { type: 'trouble'; where: string; detail: string }
