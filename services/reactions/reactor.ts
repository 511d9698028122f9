import type { Address } from 'viem'
import type { BundleVault } from '../bundles/bundleVault.ts'
import type { ChainConfig } from '../config/chains.ts'
import type { Enclave } from '../enclave/port.ts'
import type { ProveHistory } from '../settlement/proveHistory.ts'
import type { LiveChains } from '../store/liveChains.ts'
import type { Outcome } from './outcome.ts'
import type { EffectKind } from './situation.ts'

/** What reactions are made with. */
export type Reactor = {
  /** Its `db` reads the projections too. */
  vault: BundleVault
  enclave: Enclave
  chains: LiveChains
  configured: ReadonlyMap<number, ChainConfig>
  /** The account that has the bridges' relayer role, lower case. */
  relayer: Address
  prove: ProveHistory
  /** Seconds for which a refund that is due is left to others. */
  refundAfter: number
  tell: (event: ReactionEvent) => void
}

/** What the reactions say of themselves; nothing of a bundle is ever in it. */
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
