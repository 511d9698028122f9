import type { Refusal } from '../../core/recipientBundle/bundleRefusal.ts'
import type { BundleState } from '../../core/recipientBundle/decide/bundleDecisionState.ts'
import type {
  AnchorCommand,
  AnchorDecision,
} from '../../core/recipientBundle/decide/decideAnchor.ts'
import type {
  AppendCommand,
  AppendDecision,
} from '../../core/recipientBundle/decide/decideAppend.ts'
import { decideBundle } from '../../core/recipientBundle/decideBundle.ts'
import type { BundleIntent, ReadBlob } from '../../core/recipientBundle/findEffectiveBundle.ts'
import type { Tickets } from '../../core/recipientBundle/findRegisteredRecipients.ts'
import type { BlobPlaintext } from '../../core/recoveryBlob/plaintextFormat.ts'
import {
  findNotDeliveredRefusal,
  findSettlementRefusal,
  SIGNABLE_PHASES,
} from '../../core/settlement/attestationRefusals.ts'
import { calculatePayments, listReplacedWallets } from '../../core/settlement/calculatePayments.ts'
import {
  decideRevealedPayments,
  hasNoRecipients,
  type PaymentsDecision,
} from '../../core/settlement/decideRevealedPayments.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Intent, Source } from './bridgeState.ts'
import { BOB, type Catalogue, EMPTY, THIEF } from './catalogue.ts'
import { type Destination, findDeliveryKey } from './destination.ts'
import type { Revealed, Unsigned } from './messages.ts'

/** Ids of the keys an enclave can open with; it seals to the first. */
export type Keyring = readonly [Hex, ...Hex[]]

/** Inputs that could determine a reveal. It must depend on the first three alone. */
export type RevealCase = {
  intent: BundleIntent
  blobs: readonly ReadBlob[]
  hasKey: (keyId: Hex) => boolean
  tickets: Tickets
  /** Bundles not on chain. */
  stored: readonly BlobPlaintext[]
  /** Contents of a database row that anybody could have written. */
  row: BlobPlaintext
}

/** The enclave's decisions: the program's own, unless a mutant replaces them. */
export type EnclaveRules = {
  anchor: (command: AnchorCommand, state: BundleState) => AnchorDecision | Refusal
  append: (command: AppendCommand, state: BundleState) => AppendDecision | Refusal
  reveal: (given: RevealCase) => PaymentsDecision
  namesNobody: typeof hasNoRecipients
  refuseSettlement: typeof findSettlementRefusal
  refuseNotDelivered: typeof findNotDeliveredRefusal
  /** Whether deliveries are looked up by exactly what was revealed, or by solver alone. */
  looksUp: 'exactly' | 'solver'
  /** Confirmations required before a reveal or attestation; null: the chain's setting. */
  depth: { source: number | null; destination: number | null }
}

export const ENCLAVE_RULES: EnclaveRules = {
  anchor: decideBundle,
  append: decideBundle,
  reveal: ({ intent, blobs, hasKey }) => decideRevealedPayments(intent, blobs, hasKey),
  namesNobody: hasNoRecipients,
  refuseSettlement: findSettlementRefusal,
  refuseNotDelivered: findNotDeliveredRefusal,
  looksUp: 'exactly',
  depth: { source: null, destination: null },
}

/** Inputs to an enclave besides proofs; the caller chooses them. */
export type Carried = { proposals: readonly BlobPlaintext[]; isBobRegistered: boolean }

/** What decides, and where. */
export type Deciding = { catalogue: Catalogue; rules: EnclaveRules; mode: 'strict' | 'compat' }

const NO_TICKETS: Tickets = { wallets: new Map(), safes: new Set() }
const BOBS: Tickets = { wallets: new Map([[BOB, { isContract: false }]]), safes: new Set() }

/** Every anchor and append that an enclave would sign for an intent at a block, for any input. */
export function signNamings(
  deciding: Deciding,
  keyring: Keyring,
  { time, intent }: Source,
  { proposals, isBobRegistered }: Carried,
): Unsigned[] {
  if (intent === null) return []
  const kind = intent.feeBps === 0 ? 'anchor' : 'append'
  const phases: readonly string[] = SIGNABLE_PHASES[kind]
  if (!phases.includes(intent.phase)) return []
  const signed: Unsigned[] = []
  for (const proposal of [null, ...proposals]) {
    for (const tickets of isBobRegistered ? [NO_TICKETS, BOBS] : [NO_TICKETS]) {
      const sign = kind === 'anchor' ? signAnchor : signAppend
      const message = sign(deciding, keyring, { time, intent }, { proposal, tickets })
      if (message !== null) signed.push(message)
    }
  }
  return signed
}

type Asked = { proposal: BlobPlaintext | null; tickets: Tickets }
type At = { time: number; intent: Intent }

function signAnchor(deciding: Deciding, keyring: Keyring, { time, intent }: At, asked: Asked) {
  const { catalogue, rules, mode } = deciding
  const keys = { currentKeyId: keyring[0], hasKey: (keyId: Hex) => keyring.includes(keyId) }
  const command = { type: 'anchor', ...asked, ...keys, now: time } as const
  const decision = rules.anchor(command, {
    ...stateOf(catalogue, keyring, { time, intent }),
    intent: catalogue.intent(intent.creation, 0, mode),
  })
  if (!decision.ok || !keyring.includes(decision.keyId)) return null
  const { feeBps, recipientClass, contents, keyId } = decision
  const blob = contents === null ? EMPTY : catalogue.blob(keyId, contents)
  const about = { ...beforeOf(catalogue, intent), feeBps, recipientClass, blob }
  return { kind: 'anchor', ...about } as const
}

function signAppend(deciding: Deciding, keyring: Keyring, { time, intent }: At, asked: Asked) {
  const { catalogue, rules, mode } = deciding
  const decision = rules.append(
    { type: 'append', ...asked },
    {
      ...stateOf(catalogue, keyring, { time, intent }),
      intent: catalogue.intent(intent.creation, intent.recipientClass, mode),
    },
  )
  if (!decision.ok || !keyring.includes(decision.keyId)) return null
  const blob = catalogue.blob(decision.keyId, decision.contents)
  const about = { ...beforeOf(catalogue, intent), blob }
  return { kind: 'append', ...about } as const
}

function stateOf(
  catalogue: Catalogue,
  keyring: Keyring,
  { time, intent }: At,
): Omit<BundleState, 'intent'> {
  const { feeBps, createdAt } = intent
  const { auctionDuration } = catalogue.deployment
  const isFirm = time >= createdAt + auctionDuration
  const blobs = readBlobs(catalogue, keyring, intent)
  return { blobs, feeBps, createdAt, auctionDuration, isFirm, stored: null }
}

/** The recipients an enclave reveals to an intent's winner; null where it reveals none. */
export function reveal(
  { catalogue, rules, mode }: Deciding,
  keyring: Keyring,
  intent: Intent,
  { proposals, isBobRegistered }: Carried,
): Revealed | null {
  const decision = rules.reveal({
    intent: catalogue.intent(intent.creation, intent.recipientClass, mode),
    blobs: readBlobs(catalogue, keyring, intent),
    hasKey: (keyId) => keyring.includes(keyId),
    tickets: isBobRegistered ? BOBS : NO_TICKETS,
    stored: proposals,
    row: catalogue.naming(intent.creation, [THIEF]),
  })
  if (!decision.ok) return null
  const { contents, registered, keyId } = decision
  const safes = new Map(
    listReplacedWallets(contents, registered).map(({ position, wallet, index }) => [
      position,
      catalogue.safe(wallet, keyId, index),
    ]),
  )
  const { recipients, amounts } = calculatePayments(contents, safes, BigInt(intent.amountB))
  return { recipients, amounts: amounts.map(Number) }
}

/** What an enclave attests about a confirmed intent, given the destination at a block. */
export function attest(
  deciding: Deciding,
  keyring: Keyring,
  intent: Intent,
  destination: Destination,
  carried: Carried,
): Unsigned[] {
  const { catalogue, rules, mode } = deciding
  const revealed = reveal(deciding, keyring, intent, carried)
  const about = aboutWinner(catalogue, intent)
  const { fillDeadline } = intent
  if (revealed === null) {
    const bundle = catalogue.intent(intent.creation, intent.recipientClass, mode)
    const blobs = readBlobs(catalogue, keyring, intent)
    if (!rules.namesNobody(bundle, blobs, (keyId) => keyring.includes(keyId))) return []
  }
  const delivery = revealed && buildDelivery(deciding, about, destination, revealed)
  const found = delivery && { ...delivery, sequence: BigInt(delivery.sequence) }
  const given = { fillDeadline, delivery: found, destinationTime: destination.time }
  const signed: Unsigned[] = []
  if (revealed !== null && rules.refuseSettlement(given) === null)
    signed.push({ kind: 'settlement', ...about, sequence: delivery?.sequence ?? 0 })
  if (rules.refuseNotDelivered(given) === null)
    signed.push({ kind: 'notDelivered', ...about, fillDeadline })
  return signed
}

function buildDelivery(
  { catalogue, rules }: Deciding,
  { solver, paramsHash }: { solver: Intent['solver']; paramsHash: Hex },
  { deliveries }: Destination,
  revealed: Revealed,
) {
  if (rules.looksUp === 'solver') return Object.values(deliveries)[0] ?? null
  return deliveries[findDeliveryKey(catalogue, { by: solver!, paramsHash, revealed })] ?? null
}

/** Fields common to all messages about a winner. */
export function aboutWinner(catalogue: Catalogue, { creation, blobs, solver, amountB }: Intent) {
  const { paramsHash } = catalogue.terms(creation)
  return { paramsHash, blobsHash: catalogue.fold(blobs), solver: solver!, amountB }
}

function beforeOf(catalogue: Catalogue, { creation, blobs }: Intent) {
  return { paramsHash: catalogue.terms(creation).paramsHash, before: catalogue.fold(blobs) }
}

/** An intent's blobs as an enclave with this keyring reads them. */
function readBlobs(catalogue: Catalogue, keyring: Keyring, { blobs }: Intent): ReadBlob[] {
  return blobs.map(({ kind, blob }) => {
    const { keyId, contents } = catalogue.at(blob)
    const isOpen = keyId !== null && keyring.includes(keyId)
    return { kind, keyId, contents: isOpen ? contents : null }
  })
}
