import { getAbiItem, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { SolverChain } from './solverChain.ts'

/** How far back is looked for it: it comes within three quarters of an execution window. */
const BLOCKS = 5_000n

/**
 * What somebody put on chain for an intent's winner, sealed; null when there is nothing. The contract has
 * checked the enclaves' signatures.
 */
export async function readReveal(
  { client, bridge }: SolverChain,
  intentId: bigint,
): Promise<Hex | null> {
  const head = await client.getBlockNumber()
  const [log] = await client.getLogs({
    address: bridge,
    event: getAbiItem({ abi: bridgeIntentV2Abi, name: 'RecipientsRevealed' }),
    args: { intentId },
    fromBlock: head > BLOCKS ? head - BLOCKS : 0n,
    strict: true,
  })
  return log?.args.sealedRecipients ?? null
}
