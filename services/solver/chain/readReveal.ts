import { encodeEventTopics, type Hex, parseEventLogs } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { readRecentLogs } from './readRecentLogs.ts'
import type { SolverChain } from './solverChain.ts'

/**
 * The sealed recipients that were put on chain for an intent's winner; null when there are none. The
 * contract has checked the enclaves' signatures.
 */
export async function readReveal(chain: SolverChain, intentId: bigint): Promise<Hex | null> {
  const event = {
    abi: bridgeIntentV2Abi,
    eventName: 'RecipientsRevealed',
    args: { intentId },
  } as const
  const logs = await readRecentLogs(chain, encodeEventTopics(event))
  const [log] = parseEventLogs({ ...event, logs })
  return log?.args.sealedRecipients ?? null
}
