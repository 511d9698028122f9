import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { SolverName } from './place.ts'

/** Who runs each attestation key: of two honest enclaves, the first's next one, and two of a rogue's. */
export const OPERATOR_OF = {
  first: 'north',
  firstNext: 'north',
  second: 'south',
  newcomer: 'east',
  rogue: 'west',
  rogueToo: 'west',
} as const
export type KeyName = keyof typeof OPERATOR_OF

/** Whom a winner pays, and how much, in base units of tokenB. */
export type Revealed = { recipients: readonly Hex[]; amounts: readonly number[] }

type AboutWinner = { paramsHash: Hex; blobsHash: Hex; solver: SolverName; amountB: number }

/** What enclaves sign, by kind. */
type Contents = {
  anchor: { paramsHash: Hex; before: Hex; feeBps: number; recipientClass: number; blob: number }
  append: { paramsHash: Hex; before: Hex; blob: number }
  /** `fillDeadline` isn't signed: the winner has it from its own deposit. */
  reveal: AboutWinner & { revealed: Revealed; fillDeadline: number }
  settlement: AboutWinner & { sequence: number }
  notDelivered: AboutWinner & { fillDeadline: number }
}
type MessageKind = keyof Contents

/** A message without its signature. */
export type Content<Kind extends MessageKind> = Contents[Kind]

/** A message that is yet to be signed. */
export type Unsigned = { [Kind in MessageKind]: { kind: Kind } & Contents[Kind] }[MessageKind]

/** A message that an enclave, or whoever has its key, has signed. */
export type Message = {
  [Kind in MessageKind]: { kind: Kind; signer: KeyName } & Contents[Kind]
}[MessageKind]
