import { findValidDelivery } from '../../../../core/intent/findWinnersDelivery.ts'
import type { KnownIntent, SourceFacts } from '../../../../src/intent/intentFacts.ts'

/**
 * Fields of the intent's record that proven events fix permanently, and their names in the facts.
 */
const FIXED = {
  sender: 'sender',
  destChainId: 'destChainId',
  tokenA: 'tokenA',
  tokenB: 'tokenB',
  amountA: 'amountA',
  expectedAmountB: 'expectedAmountB',
  reward: 'reward',
  solverAddress: 'solver',
  winningAmountB: 'winningAmountB',
  payout: 'payout',
  fee: 'fee',
} as const satisfies Record<string, keyof SourceFacts>

/** Statuses that only events cause; a passed deadline never does. */
const BY_EVENTS: ReadonlySet<unknown> = new Set(['completed', 'cancelled', 'settled'])

/**
 * Compares the server's record of an intent with the facts that its proof proves.
 *
 * @returns the number of proven fields, those that differ, and those of the record that no event proves
 */
export function compareIndexedRecord(
  record: Record<string, unknown>,
  facts: KnownIntent,
): { proven: number; different: string[]; unproven: string[] } {
  const { source } = facts
  const fields = Object.entries(FIXED)
  const shown = fields.filter(([, name]) => source[name] !== null)
  const isSame = (value: unknown, fact: SourceFacts[keyof SourceFacts]) =>
    String(value).toLowerCase() === String(fact).toLowerCase()
  const different = shown.filter(([field, name]) => !isSame(record[field], source[name]))
  const unproven = fields.filter(([field, name]) => {
    return source[name] === null && (record[field] ?? null) !== null
  })
  const names = unproven.map(([field]) => field)
  return {
    proven: shown.length,
    different: different.map(([field]) => field),
    unproven: isStatusProven(record, facts) ? names : ['status', ...names],
  }
}

/** A terminal intent's status is its phase. Before that, only `settled` depends on an event, the delivery. */
function isStatusProven(record: Record<string, unknown>, facts: KnownIntent): boolean {
  const { status, isTerminal } = record
  if (isTerminal !== true && !BY_EVENTS.has(status)) return true
  const isDelivered = facts.source.phase === 'deposited' && findValidDelivery(facts) !== null
  return status === (isDelivered ? 'settled' : facts.source.phase)
}
