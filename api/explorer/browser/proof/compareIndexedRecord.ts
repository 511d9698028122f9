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

function isStatusProven(
  { status, isTerminal }: Record<string, unknown>,
  facts: KnownIntent,
): boolean {
  const { phase } = facts.source
  const allowed = statusesOf(phase, facts)
  const hasEnded = allowed.length === 1 && allowed[0] === phase
  return allowed.includes(status) && isTerminal === hasEnded
}

/** The statuses that an intent of these events can have. Where there are two, only a clock tells them apart. */
function statusesOf(phase: SourceFacts['phase'], facts: KnownIntent): unknown[] {
  if (phase === 'open' || phase === 'bidding') return ['pending', 'expired']
  if (phase !== 'deposited') return [phase]
  return findValidDelivery(facts) === null ? ['solving', 'failed'] : ['settled']
}
