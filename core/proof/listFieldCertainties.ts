import type { EventType } from '../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../src/intent/intentFacts.ts'
import type { ProvenIntent } from './verifyIntentProof.ts'

/**
 * How certain a proven history makes a field of the record.
 * - `proven`: no later event can change it.
 * - `atLeast`: as of the given events; later or withheld ones can add to it or change it.
 * - `claimed`: the server's claim; receipts don't contain it.
 */
export type Certainty = 'proven' | 'atLeast' | 'claimed'

/** One field of the intent's record with its value and certainty. */
type EstablishedField = {
  field: keyof SourceFacts
  value: string | number | bigint
  certainty: Certainty
}

/** Fields that one event fixes for good: the bridge allows each of these events once per intent. */
const FIXED_BY: Partial<Record<EventType, readonly (keyof SourceFacts)[]>> = {
  IntentCreated: [
    'sourceChainId',
    'intentId',
    'paramsHash',
    'sender',
    'destChainId',
    'tokenA',
    'tokenB',
    'amountA',
    'expectedAmountB',
    'reward',
    'endTime',
    'createdAt',
    'createdBlock',
  ],
  IntentAnchored: ['feeBps', 'recipientClass', 'anchoredAt'],
  SolverDeposited: ['solver', 'winningAmountB', 'bond', 'fillDeadline', 'depositedAt'],
  RecipientsAsked: ['askedAt'],
  RecipientsRevealed: ['revealedAt'],
  IntentSettled: ['phase', 'settledAt', 'payout', 'fee', 'chain2IntentId', 'attester'],
  IntentCancelled: ['phase', 'cancelledAt', 'refundAmount'],
  IntentRefunded: ['phase', 'refundedAt', 'refundAmount', 'forfeitedBond'],
}

const TRANSACTIONS: ReadonlySet<keyof SourceFacts> = new Set([
  'createTxHash',
  'anchorTxHash',
  'depositTxHash',
  'askTxHash',
  'revealTxHash',
  'settleTxHash',
  'cancelTxHash',
  'refundTxHash',
])

/** Fields that depend on the source bridge's windows: omitted until these are proven. */
const BY_WINDOWS: readonly (keyof SourceFacts)[] = [
  'firmAt',
  'pickupDeadline',
  'blobCount',
  'blobsHash',
]

/** No event of the intent has the token's listing at its creation. */
const IN_NO_EVENT: keyof SourceFacts = 'quorum'

/**
 * The fields of the intent's record that the proven events determine, with their certainty; empty without the creation.
 * Deliveries are separate records and aren't listed.
 */
export function listFieldCertainties(proven: ProvenIntent): EstablishedField[] {
  const { source } = proven.facts
  if (source === null) return []
  const fixed = new Set(proven.events.flatMap(({ event }) => FIXED_BY[event.type] ?? []))
  if (proven.terms !== null) fixed.add('pickupDeadline').add('firmAt')
  const unknown = new Set([IN_NO_EVENT, ...(proven.terms === null ? BY_WINDOWS : [])])
  const fields: EstablishedField[] = []
  for (const [name, value] of Object.entries(source)) {
    const field = name as keyof SourceFacts
    if (value === null || unknown.has(field)) continue
    fields.push({ field, value, certainty: findCertainty(field, fixed) })
  }
  return fields
}

function findCertainty(field: keyof SourceFacts, fixed: ReadonlySet<string>): Certainty {
  if (TRANSACTIONS.has(field)) return 'claimed'
  return fixed.has(field) ? 'proven' : 'atLeast'
}
