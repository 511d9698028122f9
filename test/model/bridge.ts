import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BLOB_KIND } from '../../src/event/foldBlobsHash.ts'
import { type BlobAt, type Catalogue, CREATIONS, type CreationName, EMPTY } from './catalogue.ts'
import type { Content, KeyName, Message } from './messages.ts'
import { OPERATOR_OF } from './messages.ts'
import type { SolverName } from './place.ts'

/** What the source bridge stores of the intent under test. */
export type Intent = {
  creation: CreationName
  phase: 'open' | 'deposited' | 'settled' | 'cancelled' | 'refunded'
  createdAt: number
  feeBps: number
  recipientClass: number
  quorum: number
  /** Those that `blobsHash` commits to. */
  blobs: readonly BlobAt[]
  named: boolean
  asked: boolean
  revealed: boolean
  solver: SolverName | null
  amountB: number
  fillDeadline: number
  /** Keys that had been revoked when somebody deposited. */
  revokedBefore: readonly KeyName[]
  /** Whether honest enclaves signed for all that enclaves signed for: nothing that the contract knows. */
  isHonest: boolean
  /** By which call it was refunded: no part of the contract's storage either. */
  refundedBy: 'undelivered' | 'refund' | null
}

/** The source chain at a block. Times in seconds. */
export type Source = {
  time: number
  intent: Intent | null
  /** Since when keys are revoked. */
  revoked: Readonly<Partial<Record<KeyName, number>>>
}

/** A call of the source bridge or its registry. */
export type Call =
  | { do: 'create'; creation: CreationName }
  | { do: 'anchor'; message: Extract<Message, { kind: 'anchor' }> }
  | { do: 'append'; message: Extract<Message, { kind: 'append' }> }
  | { do: 'name'; blob: number }
  | { do: 'bid'; by: SolverName; amountB: number }
  | { do: 'deposit'; by: SolverName; paramsHash: Hex; blobsHash: Hex; amountB: number }
  | { do: 'ask'; by: SolverName }
  | { do: 'reveal'; content: Content<'reveal'>; signers: readonly KeyName[] }
  | { do: 'settle'; content: Content<'settlement'>; signers: readonly KeyName[] }
  | { do: 'undelivered'; content: Content<'notDelivered'>; signers: readonly KeyName[] }
  | { do: 'cancel' }
  | { do: 'refund' }
  | { do: 'revoke'; key: KeyName }

/** Rules of the contract that mutants break. */
export type BridgeRules = {
  /** Blobs count only if they come before `firmAt`. */
  freezesBlobs: boolean
  /** An anchor counts only over the blobs that it was signed over. */
  checksBlobsBefore: boolean
  /** Signatures must be of different operators. */
  operatorsDiffer: boolean
  /** Nothing is cancelled from the deposit on. */
  keepsDeposits: boolean
}

export const BRIDGE_RULES: BridgeRules = {
  freezesBlobs: true,
  checksBlobsBefore: true,
  operatorsDiffer: true,
  keepsDeposits: true,
}

/** A call is refused, by the contract's own word for it. */
export class Refused extends Error {
  constructor(code: string) {
    // Millions are made, and where doesn't matter.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(code)
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Where the reference stands. */
export type Bridge = { catalogue: Catalogue; rules: BridgeRules; quorum: number }

/** The chain after a call. Throws Refused: nothing has changed then. */
export function call(bridge: Bridge, source: Source, made: Call): Source {
  if (made.do === 'revoke') return revoke(source, made.key)
  if (made.do === 'create') return { ...source, intent: create(bridge, source, made.creation) }
  const { intent } = source
  if (intent === null) throw new Refused('UnknownIntent')
  return { ...source, intent: callIntent(bridge, source, intent, made) }
}

/** Whether a call would be taken. */
export function takes(bridge: Bridge, source: Source, made: Call): boolean {
  try {
    call(bridge, source, made)
    return true
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

function revoke(source: Source, key: KeyName): Source {
  if (source.revoked[key] !== undefined) throw new Refused('AlreadyRevoked')
  return { ...source, revoked: { ...source.revoked, [key]: source.time } }
}

function create({ catalogue, quorum }: Bridge, { time }: Source, creation: CreationName): Intent {
  const blob = catalogue.creationBlob(creation)
  return {
    ...{ creation, phase: 'open', createdAt: time, feeBps: 0, recipientClass: 0, quorum },
    blobs: blob === null ? [] : [{ kind: BLOB_KIND.creation, blob }],
    ...{ named: false, asked: false, revealed: false, solver: null, amountB: 0, fillDeadline: 0 },
    ...{ revokedBefore: [], isHonest: true, refundedBy: null },
  }
}

type OfIntent = Exclude<Call, { do: 'create' | 'revoke' }>

function callIntent(bridge: Bridge, source: Source, intent: Intent, made: OfIntent): Intent {
  switch (made.do) {
    case 'anchor':
      return anchor(bridge, source, intent, made.message)
    case 'append':
      return append(bridge, source, intent, made.message)
    case 'name':
      return name(bridge, source, intent, made.blob)
    case 'bid':
      return bid(bridge, source, intent, made)
    case 'deposit':
      return deposit(bridge, source, intent, made)
    case 'ask':
      return ask(bridge, source, intent, made.by)
    case 'reveal':
      return reveal(bridge, source, intent, made)
    case 'settle':
      return settle(bridge, source, intent, made)
    case 'undelivered':
      return refundUndelivered(bridge, source, intent, made)
    case 'cancel':
      return cancel(bridge, source, intent)
    case 'refund':
      return refund(bridge, source, intent)
  }
}

function anchor(
  bridge: Bridge,
  source: Source,
  intent: Intent,
  {
    signer,
    paramsHash,
    before,
    feeBps,
    recipientClass,
    blob,
  }: Extract<Message, { kind: 'anchor' }>,
): Intent {
  requireNameable(bridge, source, intent)
  requireTerms(bridge, intent, paramsHash, bridge.rules.checksBlobsBefore ? before : null)
  if (intent.feeBps !== 0) throw new Refused('AlreadyAnchored')
  const isNamedAtCreation = CREATIONS[intent.creation].names !== null
  if (!isNamedAtCreation && blob === EMPTY) throw new Refused('BlobRequired')
  requireActive(source, signer)
  const blobs = [...intent.blobs, { kind: BLOB_KIND.anchor, blob }]
  return { ...intent, feeBps, recipientClass, blobs, isHonest: intent.isHonest && isHonest(signer) }
}

function append(
  bridge: Bridge,
  source: Source,
  intent: Intent,
  { signer, paramsHash, before, blob }: Extract<Message, { kind: 'append' }>,
): Intent {
  requireTerms(bridge, intent, paramsHash, before)
  requireActive(source, signer)
  if (blob === EMPTY) throw new Refused('BlobRequired')
  if (bridge.rules.freezesBlobs && source.time >= firmAt(bridge, intent)) return intent
  const blobs = [...intent.blobs, { kind: BLOB_KIND.append, blob }]
  return { ...intent, blobs, isHonest: intent.isHonest && isHonest(signer) }
}

function name(bridge: Bridge, source: Source, intent: Intent, blob: number): Intent {
  requireNameable(bridge, source, intent)
  if (intent.named) throw new Refused('AlreadyNamed')
  return { ...intent, named: true, blobs: [...intent.blobs, { kind: BLOB_KIND.sender, blob }] }
}

function bid(
  bridge: Bridge,
  source: Source,
  intent: Intent,
  { by, amountB }: { by: SolverName; amountB: number },
): Intent {
  requirePhase(intent, 'open')
  if (source.time >= endTime(bridge, intent)) throw new Refused('AuctionOver')
  if (intent.feeBps === 0) throw new Refused('NotAnchored')
  const least = intent.solver === null ? expectedOf(bridge, intent) : intent.amountB + 1
  if (amountB < least) throw new Refused('BidTooLow')
  return { ...intent, solver: by, amountB }
}

function deposit(
  bridge: Bridge,
  source: Source,
  intent: Intent,
  { by, paramsHash, blobsHash, amountB }: Extract<Call, { do: 'deposit' }>,
): Intent {
  requirePhase(intent, 'open')
  requireTerms(bridge, intent, paramsHash, blobsHash)
  const { solver } = intent
  if (solver === null) throw new Refused('NoBid')
  const { windows } = bridge.catalogue.place
  const end = endTime(bridge, intent)
  if (source.time < end) throw new Refused('AuctionStillOpen')
  if (source.time >= end + 2 * windows.pickup) throw new Refused('PickupOver')
  if (by !== solver && source.time < end + windows.pickup) throw new Refused('PickupReserved')
  if (amountB < minimumFor(bridge, source, intent, by)) throw new Refused('BidTooLow')
  const fillDeadline = source.time + windows.execution
  const revokedBefore = Object.keys(source.revoked) as KeyName[]
  return { ...intent, phase: 'deposited', solver: by, amountB, fillDeadline, revokedBefore }
}

/** The best bid, or for others what it has dropped to by now. */
function minimumFor(bridge: Bridge, { time }: Source, intent: Intent, by: SolverName): number {
  const { amountB: best } = intent
  if (by === intent.solver) return best
  const { pickup } = bridge.catalogue.place.windows
  const elapsed = time - endTime(bridge, intent) - pickup
  const dropped = best - Math.floor((best * elapsed) / (100 * pickup))
  return Math.max(dropped, expectedOf(bridge, intent))
}

function ask(bridge: Bridge, source: Source, intent: Intent, by: SolverName): Intent {
  requirePhase(intent, 'deposited')
  if (by !== intent.solver) throw new Refused('NotWinner')
  requireQuarters(bridge, source, intent, 1, 2)
  if (intent.asked) throw new Refused('AlreadyAsked')
  if (intent.revealed) throw new Refused('AlreadyRevealed')
  return { ...intent, asked: true }
}

function reveal(
  bridge: Bridge,
  source: Source,
  intent: Intent,
  { content, signers }: Extract<Call, { do: 'reveal' }>,
): Intent {
  requirePhase(intent, 'deposited')
  requireQuarters(bridge, source, intent, 0, 3)
  if (intent.revealed) throw new Refused('AlreadyRevealed')
  const { paramsHash } = bridge.catalogue.terms(intent.creation)
  const isOfThis =
    content.paramsHash === paramsHash &&
    content.blobsHash === bridge.catalogue.fold(intent.blobs) &&
    content.solver === intent.solver &&
    content.amountB === intent.amountB
  // The contract hashes its own values: of others a signature recovers to some other key.
  requireQuorum(bridge, source, intent, isOfThis ? signers : signers.map(() => null))
  return { ...intent, revealed: true }
}

function settle(
  bridge: Bridge,
  source: Source,
  intent: Intent,
  { content, signers }: Extract<Call, { do: 'settle' }>,
): Intent {
  requirePhase(intent, 'deposited')
  requireTerms(bridge, intent, content.paramsHash, content.blobsHash)
  requireWinner(intent, content)
  requireQuorum(bridge, source, intent, signers)
  return { ...intent, phase: 'settled' }
}

function refundUndelivered(
  bridge: Bridge,
  source: Source,
  intent: Intent,
  { content, signers }: Extract<Call, { do: 'undelivered' }>,
): Intent {
  requirePhase(intent, 'deposited')
  requireTerms(bridge, intent, content.paramsHash, content.blobsHash)
  requireWinner(intent, content)
  if (content.fillDeadline !== intent.fillDeadline) throw new Refused('WrongFillDeadline')
  if (source.time < intent.fillDeadline) throw new Refused('NotRefundableYet')
  requireQuorum(bridge, source, intent, signers)
  return { ...intent, phase: 'refunded', refundedBy: 'undelivered' }
}

function cancel(bridge: Bridge, source: Source, intent: Intent): Intent {
  if (bridge.rules.keepsDeposits || intent.phase !== 'deposited') requirePhase(intent, 'open')
  if (bridge.rules.keepsDeposits && intent.solver !== null) requireNotFirm(bridge, source, intent)
  return { ...intent, phase: 'cancelled' }
}

function refund(bridge: Bridge, source: Source, intent: Intent): Intent {
  if (intent.phase !== 'open' && intent.phase !== 'deposited') throw new Refused('WrongPhase')
  if (source.time < refundableAt(bridge, intent)) throw new Refused('NotRefundableYet')
  return { ...intent, phase: 'refunded', refundedBy: 'refund' }
}

export function endTime({ catalogue }: Bridge, { createdAt }: Intent): number {
  return createdAt + catalogue.place.auctionDuration
}

export function firmAt(bridge: Bridge, intent: Intent): number {
  const { auctionDuration, windows } = bridge.catalogue.place
  return endTime(bridge, intent) - Math.min(Math.floor(auctionDuration / 3), windows.firm)
}

/** From when on anybody can send the money back. */
export function refundableAt(bridge: Bridge, intent: Intent): number {
  const { pickup, grace } = bridge.catalogue.place.windows
  if (intent.phase === 'deposited') return intent.fillDeadline + grace
  return endTime(bridge, intent) + (intent.solver === null ? 0 : 2 * pickup)
}

export function expectedOf({ catalogue }: Bridge, { creation }: Intent): number {
  return Number(catalogue.terms(creation).expectedAmountB)
}

function requirePhase(intent: Intent, phase: Intent['phase']): void {
  if (intent.phase !== phase) throw new Refused('WrongPhase')
}

function requireNameable(bridge: Bridge, source: Source, intent: Intent): void {
  requirePhase(intent, 'open')
  requireNotFirm(bridge, source, intent)
}

function requireNotFirm(bridge: Bridge, { time }: Source, intent: Intent): void {
  if (time >= firmAt(bridge, intent)) throw new Refused('Firm')
}

/** @param blobsHash null: not compared, as a mutant has it */
function requireTerms(bridge: Bridge, intent: Intent, paramsHash: Hex, blobsHash: Hex | null) {
  const { catalogue } = bridge
  if (paramsHash !== catalogue.terms(intent.creation).paramsHash) throw new Refused('WrongParams')
  if (blobsHash !== null && blobsHash !== catalogue.fold(intent.blobs))
    throw new Refused('WrongBlobs')
}

function requireWinner(intent: Intent, content: { solver: SolverName; amountB: number }): void {
  if (content.solver !== intent.solver) throw new Refused('WrongSolver')
  if (content.amountB !== intent.amountB) throw new Refused('WrongAmount')
}

function requireQuarters(
  { catalogue }: Bridge,
  { time }: Source,
  { fillDeadline }: Intent,
  first: number,
  last: number,
): void {
  const { execution } = catalogue.place.windows
  const start = fillDeadline - execution
  const isWithin =
    time >= start + Math.floor((execution * first) / 4) &&
    time < start + Math.floor((execution * last) / 4)
  if (!isWithin) throw new Refused('OutsideWindow')
}

function requireActive({ revoked }: Source, signer: KeyName): void {
  if (revoked[signer] !== undefined) throw new Refused('AttesterNotActive')
}

/** @param signers in the contract's order; null: the signature is of something else */
function requireQuorum(
  { rules }: Bridge,
  { revoked }: Source,
  { quorum, revokedBefore }: Intent,
  signers: readonly (KeyName | null)[],
): void {
  if (signers.length !== quorum) throw new Refused('WrongSignatureCount')
  const operators = new Set<string>()
  for (const signer of signers) {
    if (signer === null) throw new Refused('AttesterNotActive')
    const countedThen = quorum > 1 && !revokedBefore.includes(signer)
    if (revoked[signer] !== undefined && !countedThen) throw new Refused('AttesterNotActive')
    if (rules.operatorsDiffer && operators.has(OPERATOR_OF[signer]))
      throw new Refused('SameOperator')
    operators.add(OPERATOR_OF[signer])
  }
}

function isHonest(signer: KeyName): boolean {
  return OPERATOR_OF[signer] !== 'west'
}
