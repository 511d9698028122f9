import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BridgeRules, Call } from './bridgeState.ts'
import type { CreationName } from './catalogue.ts'
import type { Solve } from './destination.ts'
import type { EnclaveRules } from './enclaves.ts'
import type { KeyName } from './messages.ts'

/** All rules of a run: the system's own, or those of a mutant. */
export type Rules = { bridge: BridgeRules; enclave: EnclaveRules }

/** What may happen how often, besides what an intent needs. */
export type Budget = {
  /** Blocks that each chain takes back. */
  sourceReorg: number
  destinationReorg: number
  /** Anchors and appends that the rogue's key signs. */
  rogue: number
  /** Deliveries of what nobody was told. */
  falseDelivery: number
  bid: number
}

/** What a run explores: who is there, and what they may do. */
export type World = {
  name: string
  mode: 'strict' | 'compat'
  creations: readonly CreationName[]
  quorum: number
  /** Blocks on top of what counts; a reorg takes no more. */
  confirmations: number
  /** Bundles off chain: whom they name, their number, and whether the sender signed. */
  proposals: readonly { names: readonly Hex[]; n: number; isSigned: boolean }[]
  /** What the sender names by its own call. */
  calls: readonly { names: readonly Hex[]; n: number }[]
  /** Honest enclaves. `newcomer` has only the root that comes after the others'. */
  enclaves: readonly ('first' | 'second' | 'newcomer')[]
  /** Keys in rogue hands. Where two must sign, they sign anything. */
  rogues: readonly KeyName[]
  can: {
    /** Bob registers as a wallet, at any time. */
    register?: boolean
    /** The first enclave seals to a new root, and signs by a new key. */
    rotate?: boolean
    /** The key that the first enclave no longer signs by is revoked. */
    revoke?: boolean
    /** The winner asks on chain, and is told there. */
    ask?: boolean
    /** Somebody else picks up in the second window. */
    takeOver?: boolean
  }
  budget: Budget
}

/** What isn't on a chain. */
export type Surroundings = {
  isBobRegistered: boolean
  isRootRotated: boolean
  isAttesterPromoted: boolean
  left: Budget
}

/** One thing that happens. */
export type Action =
  | { on: 'source'; call: Call; spends?: keyof Budget }
  | { on: 'destination'; solve: Solve; spends?: keyof Budget }
  | { on: 'clock'; chain: 'source' | 'destination'; to: number }
  | { on: 'reorg'; chain: 'source' | 'destination' }
  | { on: 'surroundings'; what: 'register' | 'rotate' | 'promote' }

/** Everything, at one moment. Ids are those of the run's own tables. */
export type State = {
  /** Blocks that may still be taken back, and the one below them; the head last. */
  source: readonly number[]
  destination: readonly number[]
  /** What enclaves have signed that may still count. */
  messages: readonly number[]
  /** Reveals that enough enclaves have signed. */
  revealed: readonly number[]
  /** Picked up intents as they were deep in the source chain. */
  deep: readonly number[]
  around: Surroundings
}
