import type { SourceFacts } from '../../../../src/intent/facts.ts'

/** Fields of the intent's record that proven events fix for good, and what the facts call them. */
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
 * Compares what the server says of an intent with what its proof proves.
 *
 * @returns how many fields are proven, and those that differ
 */
export function compareRecord(
  record: Record<string, unknown>,
  proven: SourceFacts,
): { proven: number; different: string[] } {
  const fields = Object.entries(FIXED).filter(([, name]) => proven[name] !== null)
  const isSame = (said: unknown, fact: SourceFacts[keyof SourceFacts]) =>
    String(said).toLowerCase() === String(fact).toLowerCase()
  const different = fields.filter(([field, name]) => !isSame(record[field], proven[name]))
  return { proven: fields.length, different: different.map(([field]) => field) }
}
