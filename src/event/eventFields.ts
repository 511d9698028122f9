import type { AbiEvent } from 'viem'
import { bridgeIntentV2Abi } from './abi/bridgeIntentV2.ts'
import { orderVaultAbi } from './abi/orderVault.ts'
import type { EventType } from './bridgeEvent.ts'
import type { ChainEventType } from './chainEvent.ts'
import type { VaultEventType } from './vaultEvent.ts'

/** How an argument is held: integers of up to 32 bits as numbers, wider ones as bigints, the rest as hex. */
export type FieldKind = 'number' | 'bigint' | 'hex'

export type EventField = { name: string; kind: FieldKind }

/** Every event of the union, once; the compiler sees to it that none is missing. */
const FOLDED: Record<EventType, true> = {
  IntentCreated: true,
  IntentAnchored: true,
  BlobAppended: true,
  BidPlaced: true,
  SolverDeposited: true,
  RecipientsAsked: true,
  RecipientsRevealed: true,
  SealingKeySet: true,
  IntentSolved: true,
  DeliveryCredited: true,
  DeliveryClaimed: true,
  BidForfeited: true,
  StakeAdded: true,
  StakeRemoved: true,
  IntentSettled: true,
  IntentCancelled: true,
  IntentRefunded: true,
  BridgeDeployed: true,
  ChangeAnnounced: true,
  ChangeWithdrawn: true,
  TokenListed: true,
  TokenDelisted: true,
  DestinationListed: true,
  DestinationDelisted: true,
  PeripheryListed: true,
  PeripheryDelisted: true,
  TreasuryChanged: true,
  CreationPaused: true,
  CreationResumed: true,
  CreditAdded: true,
  CreditClaimed: true,
  FeesCollected: true,
}

/** Solidity name of each event of a vault. */
const SOLIDITY_NAME: Record<VaultEventType, string> = {
  OrderFunded: 'OrderFunded',
  TrancheFired: 'TrancheFired',
  OrderClosed: 'OrderClosed',
  VaultCreditAdded: 'CreditAdded',
  VaultCreditClaimed: 'CreditClaimed',
}

/** Solidity names of the bridge's events that are folded. Others of the contract (ownership) change no row. */
export const EVENT_TYPES = Object.keys(FOLDED) as EventType[]

/** ABI of the bridge's events that are folded. */
export const EVENT_ABI: readonly (AbiEvent & { name: EventType })[] = bridgeIntentV2Abi.filter(
  (item): item is Extract<typeof item, { type: 'event'; name: EventType }> =>
    item.type === 'event' && item.name in FOLDED,
)

/** A vault's event: its name here, and what the contract's ABI says of it. */
export type VaultEventAbi = { type: VaultEventType; abi: AbiEvent }

/** All events of a vault. */
export const VAULT_EVENTS: readonly VaultEventAbi[] = Object.entries(SOLIDITY_NAME).map(
  ([type, solidityName]) => ({ type: type as VaultEventType, abi: vaultEvent(solidityName) }),
)

/** Whether an event is a vault's. */
export function isVaultEvent(type: string): type is VaultEventType {
  return type in SOLIDITY_NAME
}

/** Arguments of each event, in the contract's order. */
export const EVENT_FIELDS = Object.fromEntries([
  ...EVENT_ABI.map((abi) => [abi.name, fieldsOf(abi)]),
  ...VAULT_EVENTS.map(({ type, abi }) => [type, fieldsOf(abi)]),
]) as Record<ChainEventType, readonly EventField[]>

function vaultEvent(solidityName: string): AbiEvent {
  const found = orderVaultAbi.find((item) => item.type === 'event' && item.name === solidityName)
  return found as unknown as AbiEvent
}

function fieldsOf({ inputs }: AbiEvent): EventField[] {
  return inputs.map(({ name, type }) => ({ name: name ?? '', kind: kindOf(type) }))
}

function kindOf(solidityType: string): FieldKind {
  const width = /^uint(\d+)$/.exec(solidityType)?.[1]
  if (width === undefined) return 'hex'
  return Number(width) <= 32 ? 'number' : 'bigint'
}
