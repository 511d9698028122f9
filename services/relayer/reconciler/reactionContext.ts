import type { Address } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { RollupDataFees } from '../../chain/transactions/rollupDataFees.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ChainStateCache } from '../../store/chains/chainStateCache.ts'
import type { BundleContext } from '../recipientBundles/recipientBundleStore.ts'
import type { Signing } from '../settlement/signingContext.ts'
import type { FairTurns } from './fairTurns.ts'
import type { UnpaidGasBudget } from './perform/unpaidGas.ts'
import type { EffectKind, Outcome } from './reconcilerEffect.ts'

export type ReactionContext = {
  /** The bundle store. Its `db` also reads the projections. */
  bundles: BundleContext
  /** The enclaves that attest, and the evidence that they need. */
  signing: Signing
  chains: ChainStateCache
  configured: ReadonlyMap<number, ReactionChain>
  /** The account that pays for gas, in lower case. */
  relayer: Address
  /** Seconds that a due refund is left to others. */
  refundAfter: number
  /** Gas for an intent's anchor and appends, per multiple of the minimum fee; see `findGasRefusal`. */
  anchorGasPerMinimum: bigint
  onEvent: (event: ReactionEvent) => void
}

/** A configured chain, what transactions cost there, and what is left of the day's gas. */
export type ReactionChain = ChainConfig & {
  /** In lower case. */
  bridge: Hex
  /** Maximum wei per gas. */
  cap: bigint
  dataFees: RollupDataFees
  /** Gas of the day that no fee covers. */
  unpaidGas: UnpaidGasBudget
  /** Gas of the day for refunds of intents that nobody bid on. */
  refundGas: UnpaidGasBudget
  /** Senders' turns at anchors and appends: no chain waits for a silent sender. */
  turns: FairTurns
}

/** @throws for a chain that isn't configured */
export function requireChain(
  { configured }: Pick<ReactionContext, 'configured'>,
  chainId: number,
): ReactionChain {
  const chain = configured.get(chainId)
  if (!chain) throw new Error(`chain ${chainId} is not configured`)
  return chain
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
