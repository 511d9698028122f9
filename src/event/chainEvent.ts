import type { BridgeEvent, EventArgs, EventType } from './bridgeEvent.ts'
import type { VaultEvent, VaultEventArgs, VaultEventType } from './vaultEvent.ts'

/** A log of one of a chain's contracts that are followed: its bridge and, if it has one, its vault. */
export type ChainEvent = BridgeEvent | VaultEvent

/** Name of an event of either contract; no two share one. */
export type ChainEventType = EventType | VaultEventType

/** Arguments of every event of either contract. */
export type ChainEventArgs = EventArgs & VaultEventArgs
