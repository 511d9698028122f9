import type { Hex } from 'viem'
import { inTransaction } from '../../../store/database/inTransaction.ts'
import { markFollowed, saveProgress, wake } from './followedSafes.ts'
import type { ListedSafe } from './listSafes.ts'
import { readTransfers } from './readSafeTransferLogs.ts'
import { saveMovedTokens } from './saveMovedTokens.ts'
import { readCheckpoints } from './transferCheckpoints.ts'
import type { Block, TransferFollowerContext } from './transferFollowerContext.ts'

/** Seconds by which a chain's clock may be behind the machine's. */
const CLOCK_SLACK = 600

/** Parts of a long backlog per round, before it follows the head again. */
const PARTS_A_ROUND = 20

/** A Safe and its first unread block. */
type Behind = { safe: Hex; start: number; isQuiet: boolean }

/**
 * Reads earlier payments of Safes that are behind the chain's position. New ones are a few blocks behind and catch up
 * at once. After a recovery they may be as old as the bridge: then each round reads a limited number of parts, and
 * saves each.
 *
 * @param anchor the chain's position
 * @returns the Safes that are still behind
 */
export async function catchUpTransfers(
  context: TransferFollowerContext,
  safes: readonly ListedSafe[],
  listed: ReadonlySet<string>,
  anchor: Block,
): Promise<ReadonlySet<Hex>> {
  const behind = await withStarts(context, safes)
  const near = anchor.number - context.sizer.width()
  const isNear = ({ start }: Behind) => start > near
  await readBack(context, behind.filter(isNear), listed, anchor, Number.POSITIVE_INFINITY)
  const far = behind.filter((one) => !isNear(one))
  return new Set(await readBack(context, far, listed, anchor, PARTS_A_ROUND))
}

/** Each Safe's start: a block before which it can't have been paid. */
async function withStarts(
  { db, chain }: TransferFollowerContext,
  safes: readonly ListedSafe[],
): Promise<Behind[]> {
  if (safes.length === 0) return []
  const checkpoints = await readCheckpoints(db, chain.chainId)
  const startOf = ({ nextBlock, createdAt }: ListedSafe) => {
    if (nextBlock !== null) return nextBlock
    const before = checkpoints.find(({ timestamp }) => timestamp <= createdAt - CLOCK_SLACK)
    return before === undefined ? chain.startBlock : before.number + 1
  }
  return safes.map((one) => ({ safe: one.safe, start: startOf(one), isQuiet: one.isQuiet }))
}

/** Reads this many parts, the oldest first. @returns the Safes that are still behind */
async function readBack(
  context: TransferFollowerContext,
  behind: readonly Behind[],
  listed: ReadonlySet<string>,
  anchor: Block,
  mostParts: number,
): Promise<Hex[]> {
  const { db, chain, sizer } = context
  let left = behind
  for (let part = 0; part < mostParts && left.length > 0; part++) {
    context.stop?.throwIfAborted()
    const from = Math.min(...left.map(({ start }) => start))
    // Safes that start within the part join it, so that Safes of many dates take no more parts than
    // one.
    const reach = from + sizer.width()
    const group = left.filter(({ start }) => start < reach)
    const addresses = group.map(({ safe }) => safe)
    const { end, tokens } =
      from > anchor.number
        ? { end: anchor, tokens: [] }
        : await readTransfers(context, addresses, { from, to: anchor.number }, { anchor, listed })
    const isAll = end.number === anchor.number
    await inTransaction(db, async () => {
      await saveMovedTokens(db, chain.chainId, tokens, listed)
      await saveProgress(db, chain.chainId, addresses, end, isAll)
      const awake = group.flatMap(({ safe, isQuiet }) => (isQuiet ? [] : [safe]))
      if (isAll) await markFollowed(db, chain.chainId, awake)
      // The next round catches up with them.
      const found = tokens.map(({ safe }) => safe)
      await wake(db, chain.chainId, found)
    })
    const read = new Set(addresses)
    left = left.flatMap((one) => {
      if (!read.has(one.safe)) return [one]
      return isAll ? [] : [{ ...one, start: Math.max(one.start, end.number + 1) }]
    })
  }
  return left.map(({ safe }) => safe)
}
