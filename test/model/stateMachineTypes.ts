import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BridgeRules, Call } from './bridgeState.ts'
import type { CreationName } from './catalogue.ts'
import type { Solve } from './destination.ts'
import type { EnclaveRules } from './enclaves.ts'
import type { KeyName } from './messages.ts'

/** All rules of a run: the system's own, or a mutant's. */
export type Rules = { bridge: BridgeRules; enclave: EnclaveRules }

/** How often unusual actions may happen. */
export type Budget = {
  /** Blocks each chain may lose to reorgs. */
  sourceReorg: number
  destinationReorg: number
  /** Anchors and appends the rogue key may sign. */
  rogue: number
  /** Deliveries that were never revealed. */
  falseDelivery: number
  bid: number
}

/** A bounded scope to explore: the participants and what they may do. */
export type Scope = {
  name: string
  mode: 'strict' | 'compat'
  creations: readonly CreationName[]
  quorum: number
  /** Confirmations required; no reorg goes deeper. */
  confirmations: number
  /** Off-chain bundles: their recipients, number, and whether the sender signed. */
  proposals: readonly { names: readonly Hex[]; n: number; isSigned: boolean }[]
  /** Recipients the sender names by its own call. */
  calls: readonly { names: readonly Hex[]; n: number }[]
  /** Honest enclaves. `newcomer` has only the next root. */
  enclaves: readonly ('first' | 'second' | 'newcomer')[]
  /** Keys under rogue control. Where two must sign, they sign anything. */
  rogues: readonly KeyName[]
  can: {
    /** Bob may register as a wallet at any time. */
    register?: boolean
    /** The first enclave rotates its root and attestation key. */
    rotate?: boolean
    /** The first enclave's previous attestation key is revoked. */
    revoke?: boolean
    /** The winner requests the reveal on chain and gets it there. */
    ask?: boolean
    /** Another solver deposits in the second pickup window. */
    takeOver?: boolean
  }
  budget: Budget
}

/** State outside the chains. */
export type Surroundings = {
  isBobRegistered: boolean
  isRootRotated: boolean
  isAttesterPromoted: boolean
  left: Budget
}

/** One transition. */
export type Action =
  | { on: 'source'; call: Call; spends?: keyof Budget }
  | { on: 'destination'; solve: Solve; spends?: keyof Budget }
  | { on: 'clock'; chain: 'source' | 'destination'; to: number }
  | { on: 'reorg'; chain: 'source' | 'destination' }
  | { on: 'surroundings'; what: 'register' | 'rotate' | 'promote' }

/** The whole state. Ids refer to the run's own tables. */
export type State = {
  /** Blocks that may still be reorganised away and the one below them; the head is last. */
  source: readonly number[]
  destination: readonly number[]
  /** Signed messages that may still count. */
  messages: readonly number[]
  /** Reveals signed by a quorum. */
  revealed: readonly number[]
  /** Deposited intents as they were once confirmed on the source chain. */
  deep: readonly number[]
  around: Surroundings
}
