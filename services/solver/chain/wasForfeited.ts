import { type Address, encodeEventTopics } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { readAgreedAnswer } from './readAgreedAnswer.ts'
import { readRecentLogs } from './readRecentLogs.ts'
import type { SolverChain } from './solverChain.ts'

/**
 * Whether a solver's bond for an intent was forfeited, by most nodes.
 *
 * @param since unix seconds
 */
export function wasForfeited(
  chain: SolverChain,
  intentId: bigint,
  solver: Address,
  since: number,
): Promise<boolean> {
  const args = { intentId, solver }
  const topics = encodeEventTopics({ abi: bridgeIntentV2Abi, eventName: 'BidForfeited', args })
  return readAgreedAnswer(chain, async (at) => (await readRecentLogs(at, topics, since)).length > 0)
}
