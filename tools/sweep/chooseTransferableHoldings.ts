import type { Address } from 'viem'
import { transferCall } from '../../sdk/safe/transferCall.ts'
import { findReason } from '../../services/chain/accountSender.ts'
import type { SweepChain } from './connectChain.ts'
import { isUnreachable } from './contractAnswerOrNull.ts'
import type { Holding } from './readHoldings.ts'

/** Gas limit of one transfer. Honest tokens need a tenth of it; a hostile one uses all it gets. */
const TRANSFER_GAS = 500_000n

/** What leaves the Safe, and what has to stay. */
export type Choice = { moved: Holding[]; left: (Holding & { reason: string })[] }

/**
 * Simulates each transfer by itself, so that a token that refuses (a blacklist, a pause, spam) doesn't hold back the others.
 */
export async function chooseTransferableHoldings(
  chain: SweepChain,
  safe: Address,
  to: Address,
  holdings: readonly Holding[],
): Promise<Choice> {
  const choice: Choice = { moved: [], left: [] }
  for (const holding of holdings) {
    const reason = await findRefusal(chain, safe, to, holding)
    if (reason === null) choice.moved.push(holding)
    else choice.left.push({ ...holding, reason })
  }
  return choice
}

async function findRefusal(
  { client }: SweepChain,
  safe: Address,
  to: Address,
  { token, amount }: Holding,
): Promise<string | null> {
  try {
    const call = transferCall(token, to, amount)
    const { data } = await client.call({ ...call, account: safe, gas: TRANSFER_GAS })
    // Some tokens return nothing, and some return false instead of reverting.
    if (data !== undefined && /^0x0+$/.test(data)) return 'its transfer returns "false"'
    return null
  } catch (error) {
    if (isUnreachable(error)) throw error
    return findReason(error).split('\n')[0] ?? 'its transfer reverts'
  }
}
