import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { SolverName } from './deployment.ts'

/** The operator of each attestation key: two honest enclaves (the first with a successor key) and a rogue with two. */
export const OPERATOR_OF = {
  first: 'north',
  firstNext: 'north',
  second: 'south',
  newcomer: 'east',
  rogue: 'west',
  rogueToo: 'west',
} as const
export type KeyName = keyof typeof OPERATOR_OF

/** Recipients a winner pays, with amounts in base units of tokenB. */
export type Revealed = { recipients: readonly Hex[]; amounts: readonly number[] }

type AboutWinner = { paramsHash: Hex; blobsHash: Hex; solver: SolverName; amountB: number }

/** Messages enclaves sign, by kind. */
type Contents = {
  anchor: { paramsHash: Hex; before: Hex; feeBps: number; recipientClass: number; blob: number }
  append: { paramsHash: Hex; before: Hex; blob: number }
  /** `fillDeadline` isn't signed: the winner knows it from its own deposit. */
  reveal: AboutWinner & { revealed: Revealed; fillDeadline: number }
  settlement: AboutWinner & { sequence: number }
  notDelivered: AboutWinner & { fillDeadline: number }
}
type MessageKind = keyof Contents

/** A message without its signature. */
export type Content<Kind extends MessageKind> = Contents[Kind]

/** A message awaiting a signature. */
export type Unsigned = { [Kind in MessageKind]: { kind: Kind } & Contents[Kind] }[MessageKind]

/** A message signed by an enclave, or by anyone who holds its key. */
export type Message = {
  [Kind in MessageKind]: { kind: Kind; signer: KeyName } & Contents[Kind]
}[MessageKind]
