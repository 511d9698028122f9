import { BLOB_KIND } from '../../src/event/foldBlobsHash.ts'
import {
  endTime,
  expectedOf,
  firmAt,
  isHonest,
  refundableAt,
  requireActive,
  requireNameable,
  requireNotFirm,
  requirePhase,
  requireQuarters,
  requireQuorum,
  requireTerms,
  requireWinner,
} from './bridgeChecks.ts'
import { type Bridge, type Call, type Intent, Refused, type Source } from './bridgeState.ts'
import { CREATIONS, type CreationName, EMPTY } from './catalogue.ts'
import type { SolverName } from './deployment.ts'
import type { KeyName, Message } from './messages.ts'

/** The chain after a call. @throws Refused, leaving the chain unchanged */
export function call(bridge: Bridge, source: Source, made: Call): Source {
  if (made.do === 'revoke') return revoke(source, made.key)
  if (made.do === 'create') return { ...source, intent: create(bridge, source, made.creation) }
  const { intent } = source
  if (intent === null) throw new Refused('UnknownIntent')
  return { ...source, intent: callIntent(bridge, source, intent, made) }
}

/** Whether a call would be accepted. */
export function accepts(bridge: Bridge, source: Source, made: Call): boolean {
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
    creation,
    phase: 'open',
    createdAt: time,
    feeBps: 0,
    recipientClass: 0,
    quorum,
    blobs: blob === null ? [] : [{ kind: BLOB_KIND.creation, blob }],
    named: false,
    asked: false,
    revealed: false,
    solver: null,
    amountB: 0,
    fillDeadline: 0,
    revokedBefore: [],
    isHonest: true,
    refundedBy: null,
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
  const { windows } = bridge.catalogue.deployment
  const end = endTime(bridge, intent)
  if (source.time < end) throw new Refused('AuctionStillOpen')
  if (source.time >= end + 2 * windows.pickup) throw new Refused('PickupOver')
  if (by !== solver && source.time < end + windows.pickup) throw new Refused('PickupReserved')
  if (amountB < minimumFor(bridge, source, intent, by)) throw new Refused('BidTooLow')
  const fillDeadline = source.time + windows.execution
  const revokedBefore = Object.keys(source.revoked) as KeyName[]
  return { ...intent, phase: 'deposited', solver: by, amountB, fillDeadline, revokedBefore }
}

/** The best bid; for other solvers, what the price has decayed to by now. */
function minimumFor(bridge: Bridge, { time }: Source, intent: Intent, by: SolverName): number {
  const { amountB: best } = intent
  if (by === intent.solver) return best
  const { pickup } = bridge.catalogue.deployment.windows
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
  // The contract hashes its own values: with others, the signature recovers to a different key.
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
