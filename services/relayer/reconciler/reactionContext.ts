import type { Address } from 'viem'
import type { RollupDataFees } from '../../chain/transactions/rollupDataFees.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import type { ChainStateCache } from '../../store/chains/chainStateCache.ts'
import type { BundleContext } from '../recipientBundles/recipientBundleStore.ts'
import type { Signing } from '../settlement/signingContext.ts'
import type { FairTurns } from './fairTurns.ts'
import type { UnpaidGasBudget } from './perform/unpaidGas.ts'
import type { EffectKind, Outcome } from './reconcilerEffect.ts'

export type ReactionContext = {
  /** The bundle store. Its `db` also reads the projections. */
  bundles: BundleContext
  /** The first enclave: decrypts bundles and signs transactions. */
  enclave: Enclave
  /** The enclaves that attest, and the evidence that they need. */
  signing: Signing
  chains: ChainStateCache
  configured: ReadonlyMap<number, ChainConfig>
  /** The account that pays for gas, in lower case. */
  relayer: Address
  /** Seconds that a due refund is left to others. */
  refundAfter: number
  /** Gas for an intent's anchor and appends, per multiple of the minimum fee; see `findGasRefusal`. */
  anchorGasPerMinimum: bigint
  /** Gas of the day that no fee covers, by chain id. */
  unpaidGas: ReadonlyMap<number, UnpaidGasBudget>
  /** Gas of the day for refunds of intents that nobody bid on, by chain id. */
  refundGas: ReadonlyMap<number, UnpaidGasBudget>
  /** Senders' turns at anchors and appends, by source chain, so that no chain waits for a silent one. */
  turns: ReadonlyMap<number, FairTurns>
  /** Gas prices and data costs by chain id. */
  prices: ReadonlyMap<number, GasPrices>
  onEvent: (event: ReactionEvent) => void
}

/** What transactions cost on one chain. */
export type GasPrices = {
  /** Maximum wei per gas. */
  cap: bigint
  data: RollupDataFees
}

/** What reactions report; never a bundle's contents. */
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
