import type { Hex } from 'viem'
import type { Db } from '../../store/database/openDatabase.ts'
import { requestTransaction } from './requestTransaction.ts'

/** A chain's latest block. */
type Head = { chainId: number; blockNumber: number; timestamp: number }

/**
 * Has a chain produce its next block, by an empty transaction, if it is silent and something comes due in that block: some
 * chains produce a block only when there is a transaction, and nodes refuse what is too early by the latest one.
 *
 * @param isDue asked only on a silent chain, with what its next block would show, in unix seconds
 */
export type WakeSilentChain = (
  head: Head,
  isDue: (clock: number) => boolean | Promise<boolean>,
) => Promise<void>

/**
 * Seconds without a block after which a chain is silent. Also the least time between two empty transactions there, which
 * bounds what they cost.
 */
const SILENT_SECONDS = 300

/**
 * Silence counts since this process first saw the block: the chain's clock may differ from ours.
 *
 * @param account sends the transaction, to itself
 * @param now milliseconds by a clock that nobody sets
 */
export function createSilentChainWaker(
  db: Db,
  account: Hex,
  now: () => number = () => performance.now(),
): WakeSilentChain {
  const seen = new Map<number, { blockNumber: number; since: number }>()
  return async ({ chainId, blockNumber, timestamp }, isDue) => {
    const latest = seen.get(chainId)
    if (latest?.blockNumber !== blockNumber) {
      seen.set(chainId, { blockNumber, since: now() })
      return
    }
    const silence = Math.floor((now() - latest.since) / 1_000)
    if (silence < SILENT_SECONDS || !(await isDue(timestamp + silence))) return
    const effect = `${account.toLowerCase()}:${blockNumber}`
    const call = { account, to: account, data: '0x' } as const
    await requestTransaction(db, { kind: 'block', chainId, effect, ...call })
  }
}
