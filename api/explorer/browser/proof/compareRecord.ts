import { validDeliveryOf } from '../../../../core/intent/winnersDelivery.ts'
import type { KnownIntent, SourceFacts } from '../../../../src/intent/facts.ts'

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

/** What only events bring about, and no deadline that passes. */
const BY_EVENTS: ReadonlySet<unknown> = new Set(['completed', 'cancelled', 'settled'])

/**
 * Compares what the server says of an intent with what its proof proves.
 *
 * @returns how many fields are proven, those that differ, and those that it says and no event shows
 */
export function compareRecord(
  record: Record<string, unknown>,
  facts: KnownIntent,
): { proven: number; different: string[]; unproven: string[] } {
  const { source } = facts
  const fields = Object.entries(FIXED)
  const shown = fields.filter(([, name]) => source[name] !== null)
  const isSame = (said: unknown, fact: SourceFacts[keyof SourceFacts]) =>
    String(said).toLowerCase() === String(fact).toLowerCase()
  const different = shown.filter(([field, name]) => !isSame(record[field], source[name]))
  const unproven = fields.filter(([field, name]) => {
    return source[name] === null && (record[field] ?? null) !== null
  })
  const names = unproven.map(([field]) => field)
  return {
    proven: shown.length,
    different: different.map(([field]) => field),
    unproven: isStatusShown(record, facts) ? names : ['status', ...names],
  }
}

/** An ended intent's status is its phase; before that only a delivery shows more than a clock does. */
function isStatusShown(record: Record<string, unknown>, facts: KnownIntent): boolean {
  const { status, isTerminal } = record
  if (isTerminal !== true && !BY_EVENTS.has(status)) return true
  const isDelivered = facts.source.phase === 'deposited' && validDeliveryOf(facts) !== null
  return status === (isDelivered ? 'settled' : facts.source.phase)
}
