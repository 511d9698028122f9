import type { Hex } from 'viem'
import type { Db } from '../../store/database/openDatabase.ts'
import { requestTransaction } from './requestTransaction.ts'

/** A chain's latest block. */
type Head = { chainId: number; blockNumber: number; timestamp: number }

/**
 * Makes a silent chain produce its next block, with an empty transaction, if something comes due in that block. Some chains
 * produce a block only when there is a transaction, and nodes refuse calls that are too early by the latest block.
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

/** How far ahead of the chain our clock may be, in seconds. */
const CLOCK_SKEW = 60

/** Unix time in seconds, and milliseconds by a clock that nobody sets. */
type WakerClocks = { unixTime: () => number; now: () => number }

const CLOCKS: WakerClocks = { unixTime: () => Date.now() / 1_000, now: () => performance.now() }

/**
 * Silence counts from when this process first saw the block. The next block's time is taken to be the later of two: our clock
 * may be behind the chain's, and a restarted process doesn't know how old the block is. One block too many costs little.
 *
 * @param account sends the transaction, to itself
 */
export function createSilentChainWaker(
  db: Db,
  account: Hex,
  { unixTime, now }: WakerClocks = CLOCKS,
): WakeSilentChain {
  const seen = new Map<number, { blockNumber: number; since: number }>()
  return async ({ chainId, blockNumber, timestamp }, isDue) => {
    const latest = seen.get(chainId)
    if (latest?.blockNumber !== blockNumber) {
      seen.set(chainId, { blockNumber, since: now() })
      return
    }
    const silence = Math.floor((now() - latest.since) / 1_000)
    const clock = Math.max(timestamp + silence, Math.floor(unixTime()) - CLOCK_SKEW)
    if (silence < SILENT_SECONDS || !(await isDue(clock))) return
    const effect = `${account.toLowerCase()}:${blockNumber}`
    const call = { account, to: account, data: '0x' } as const
    await requestTransaction(db, { kind: 'block', chainId, effect, ...call })
  }
}
