import type { BridgeEvent, BridgeEventOf, Hex } from '../../src/event/bridgeEvent.ts'
import type { BridgeTerms } from '../../src/intent/bridgeTerms.ts'
import { type IntentFacts, NO_FACTS } from '../../src/intent/intentFacts.ts'
import { evolveIntent } from '../intent/evolveIntent.ts'
import type { EventProof, ProofDocument } from './proofDocument.ts'
import { ProofError } from './proofError.ts'
import { sortProvenEvents } from './sortProvenEvents.ts'
import { type ProvenEvent, verifyEventProof } from './verifyEventProof.ts'

/** What a set of proof documents proves about one intent, provided that the headers are the chains'. */
export type ProvenIntent = {
  intentId: bigint
  sourceChainId: number
  bridges: ProofDocument['bridges']
  /** The source bridge's windows; null unless its deployment is proven. */
  terms: BridgeTerms | null
  deployment: ProvenEvent | null
  /** In each chain's order, chains by id. */
  events: ProvenEvent[]
  /** The events folded through the same reducer as the index. */
  facts: IntentFacts
  /** Whether these are all the server's pages. Events that it withheld go unnoticed. */
  isWhole: boolean
}

/** Placeholders while the deployment is unknown; nothing that depends on them is reported. */
const UNKNOWN_TERMS: BridgeTerms = {
  firmSeconds: 0,
  pickupWindow: 0,
  executionWindow: 0,
  settlementGrace: 0,
}

/**
 * Verifies an intent's history from its documents (pages of one history, in any order) alone; see `verifyEventProof`
 * and `sortProvenEvents`.
 *
 * @throws ProofError naming the first failed check
 */
export async function verifyIntentProof(
  documents: readonly [ProofDocument, ...ProofDocument[]],
): Promise<ProvenIntent> {
  const [first] = documents
  for (const other of documents) checkSameSubject(first, other)
  const intentId = BigInt(first.intentId)
  checkSource(intentId, first.sourceChainId)

  const bridgeOf = new Map(first.bridges.map(({ chainId, address }) => [chainId, address]))
  const given = documents.flatMap((document) => document.events)
  const proven = await Promise.all(given.map((one) => verifyEvent(one, bridgeOf)))
  const isWhole = arePagesWhole(documents)
  const about = selectEvents(proven, { intentId, sourceChainId: first.sourceChainId, isWhole })
  const deployment = await verifyDeployment(first, bridgeOf)

  const history = deployment === null ? about : [deployment, ...about]
  const events = sortProvenEvents(history).filter((one) => one !== deployment)
  const terms = readTerms(deployment)
  return {
    intentId,
    sourceChainId: first.sourceChainId,
    bridges: first.bridges,
    terms,
    deployment,
    events,
    facts: fold(events, terms ?? UNKNOWN_TERMS),
    isWhole,
  }
}

function arePagesWhole(documents: readonly ProofDocument[]): boolean {
  const nextAfter = new Map(documents.map(({ page }) => [page.after, page.next]))
  let next = nextAfter.get(null)
  for (let pages = 1; typeof next === 'string' && pages < documents.length; pages++) {
    next = nextAfter.get(next)
  }
  return next === null
}

/** Pages of one history agree on everything but their events. */
function checkSameSubject(a: ProofDocument, b: ProofDocument): void {
  const subject = ({ intentId, sourceChainId, bridges, deployment }: ProofDocument) =>
    JSON.stringify([intentId, sourceChainId, bridges, deployment])
  if (subject(a) !== subject(b)) {
    throw new ProofError('DOCUMENTS_CONFLICT', 'the documents are not about the same intent')
  }
}

function checkSource(intentId: bigint, sourceChainId: number): void {
  if (intentId >> 64n !== BigInt(sourceChainId)) {
    throw new ProofError(
      'EVENT_OF_ANOTHER_CHAIN',
      `intent ${intentId} does not belong to chain ${sourceChainId}`,
    )
  }
}

async function verifyEvent(given: EventProof, bridgeOf: Map<number, Hex>): Promise<ProvenEvent> {
  const bridge = bridgeOf.get(given.chainId)
  if (bridge === undefined) {
    throw new ProofError('EVENT_OF_ANOTHER_CHAIN', `no bridge is named for chain ${given.chainId}`)
  }
  return verifyEventProof(given, bridge)
}

async function verifyDeployment(
  document: ProofDocument,
  bridgeOf: Map<number, Hex>,
): Promise<ProvenEvent | null> {
  if (document.deployment === null) return null
  const proven = await verifyEvent(document.deployment, bridgeOf)
  if (proven.event.type !== 'BridgeDeployed') {
    throw new ProofError('EVENT_MISMATCH', `the deployment is proven by ${proven.event.type}`)
  }
  if (proven.event.point.chainId !== document.sourceChainId) {
    throw new ProofError('EVENT_OF_ANOTHER_CHAIN', "the deployment is not the source chain's")
  }
  return proven
}

type Subject = { intentId: bigint; sourceChainId: number; isWhole: boolean }

/**
 * Checks that each event is about this intent; only deliveries and their credits come from other chains.
 * `DeliveryCredited` names its delivery, not the intent. If that delivery isn't among the events, the credit may be a
 * stranger's: it is left out if a page is missing, and otherwise refused.
 */
function selectEvents(proven: readonly ProvenEvent[], subject: Subject): readonly ProvenEvent[] {
  const deliveries = new Set<string>()
  for (const { event } of proven) {
    if (event.type === 'DeliveryCredited') continue
    checkSubject(event, subject)
    if (event.type === 'IntentSolved') deliveries.add(deliveryKey(event))
  }
  return proven.filter(({ event }) => {
    if (event.type !== 'DeliveryCredited' || deliveries.has(deliveryKey(event))) return true
    if (subject.isWhole) throw ofAnotherIntent(event, subject)
    return false
  })
}

function deliveryKey({
  point,
  args,
}: BridgeEventOf<'IntentSolved'> | BridgeEventOf<'DeliveryCredited'>): string {
  return `${point.chainId}:${args.chain2IntentId}`
}

function checkSubject(event: BridgeEvent, subject: Subject): void {
  const { intentId, sourceChainId } = subject
  if (!('intentId' in event.args) || event.args.intentId !== intentId) {
    throw ofAnotherIntent(event, subject)
  }
  const chain =
    event.type === 'IntentSolved' ? event.args.sourceChainId : BigInt(event.point.chainId)
  if (chain !== BigInt(sourceChainId)) {
    throw new ProofError(
      'EVENT_OF_ANOTHER_CHAIN',
      `${event.type} is about an intent of chain ${chain}, not ${sourceChainId}`,
    )
  }
}

function ofAnotherIntent({ type }: BridgeEvent, { intentId }: Subject): ProofError {
  return new ProofError('EVENT_OF_ANOTHER_INTENT', `${type} is not about intent ${intentId}`)
}

function readTerms(deployment: ProvenEvent | null): BridgeTerms | null {
  if (deployment?.event.type !== 'BridgeDeployed') return null
  const { firmSeconds, pickupWindow, executionWindow, settlementGrace } = deployment.event.args
  return { firmSeconds, pickupWindow, executionWindow, settlementGrace }
}

function fold(events: readonly ProvenEvent[], terms: BridgeTerms): IntentFacts {
  // No event of the intent says its quorum, so it isn't reported.
  const creation = { ...terms, quorum: 0 }
  try {
    return events.reduce((facts, { event }) => evolveIntent(facts, event, creation), NO_FACTS)
  } catch (cause) {
    throw new ProofError('EVENT_MISMATCH', 'an event is one that no bridge can emit', { cause })
  }
}
