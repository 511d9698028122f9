import type { Refusal } from './bundleRefusal.ts'
import type { BundleState } from './decide/bundleDecisionState.ts'
import { type AnchorCommand, type AnchorDecision, decideAnchor } from './decide/decideAnchor.ts'
import { type AppendCommand, type AppendDecision, decideAppend } from './decide/decideAppend.ts'
import { decideStore, type StoreCommand, type StoreDecision } from './decide/decideStore.ts'

type BundleCommand = StoreCommand | AnchorCommand | AppendCommand
type BundleDecision = StoreDecision | AnchorDecision | AppendDecision | Refusal

/**
 * Decides about an intent's bundle: whether the relayer stores a new one, and what an enclave signs for the chain, as
 * the anchor or after it. The relayer's decision is only its answer to a caller; the enclave decides independently,
 * from proofs.
 */
export function decideBundle(command: StoreCommand, state: BundleState): StoreDecision
export function decideBundle(command: AnchorCommand, state: BundleState): AnchorDecision | Refusal
export function decideBundle(command: AppendCommand, state: BundleState): AppendDecision | Refusal
export function decideBundle(command: BundleCommand, state: BundleState): BundleDecision {
  switch (command.type) {
    case 'store':
      return decideStore(command, state)
    case 'anchor':
      return decideAnchor(command, state)
    case 'append':
      return decideAppend(command, state)
  }
}
