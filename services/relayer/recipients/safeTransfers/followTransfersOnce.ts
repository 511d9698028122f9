import type { Hex } from 'viem'
import { createBlockHeaderRequest, parseHeader } from '../../../chain/history/blockHeaderRequest.ts'
import { findFork } from '../../../chain/history/findFork.ts'
import { ChangedDuringReadError } from '../../../chain/history/historyErrors.ts'
import { inTransaction } from '../../../store/database/inTransaction.ts'
import { catchUpTransfers } from './catchUpTransfers.ts'
import { markFollowed } from './followedSafes.ts'
import { createUnreadSearch, type ListedSafe, listSafes } from './listSafes.ts'
import { readTransfers } from './readSafeTransferLogs.ts'
import { refreshBalances } from './refreshBalances.ts'
import { findListedTokens, saveMovedTokens } from './saveMovedTokens.ts'
import { readCheckpoints, readPosition, rewind, writePosition } from './transferCheckpoints.ts'
import type { Block, TransferFollowerContext } from './transferFollowerContext.ts'

export type Round = {
  /** First unread block. */
  nextBlock: number
  head: number
  /** Safes read at the chain's position. */
  safes: number
  /** Safes whose history is still unread. */
  behind: number
  /** Blocks were reverted, or are still unread: another round is due at once. */
  isUnfinished: boolean
  /** Hosts of nodes that disagree about balances, which are therefore not known. */
  disagreeing: string[]
  /** Everything was read. If neither this nor unfinished, the node is behind what was read before. */
  isAtHead: boolean
}

/** Parts of a range per round, before it refreshes stale balances. */
const PARTS_A_ROUND = 20

/**
 * Updates the Safes' tokens to the chain's head: reverts what has left the chain, reads new transfers, and requests the
 * Safes' balances. All its state is in the database (`unread` only saves work), so it may be stopped at any point.
 */
export async function followTransfersOnce(context: TransferFollowerContext): Promise<Round> {
  const { db, chain } = context
  const [anchor = null] = await readCheckpoints(db, chain.chainId, 1)
  const head = await requestHead(context, anchor)
  if (head === 'moved') return takeBack(context)
  if (head === 'behind') return waitFor(anchor!)
  // After the head: an address is published once its row exists, so a payment in a block up to this
  // head went to a Safe of this list, or to one that the next round finds and reads backwards.
  const safes = await listSafes(db, chain.chainId, context.settings, context.unread)
  const listed = await findListedTokens(db, chain)
  const late = safes.filter(({ isFollowed }) => !isFollowed)
  const behind = anchor === null ? NONE : await catchUpTransfers(context, late, listed, anchor)
  // Quiet Safes are read separately, and those still behind have their own position.
  const followed = safes.filter(({ safe, isQuiet }) => !isQuiet && !behind.has(safe))
  const end = await readOn(context, followed, listed, { anchor, head })
  const isRead = end !== null && end.number === head.number
  const disagreeing = isRead ? await refreshBalances(context, end) : []
  const nextBlock = (end?.number ?? chain.startBlock - 1) + 1
  const isUnfinished = nextBlock <= head.number || behind.size > 0
  const counts = { safes: followed.length, behind: behind.size }
  const ended = { isUnfinished, isAtHead: !isUnfinished }
  return { nextBlock, head: head.number, ...counts, disagreeing, ...ended }
}

const NONE: ReadonlySet<Hex> = new Set()

/**
 * The head, from a node that has the latest checkpoint; or that blocks have left the chain, or that the node lags
 * behind what was read.
 */
async function requestHead(
  context: TransferFollowerContext,
  anchor: Block | null,
): Promise<Block | 'moved' | 'behind'> {
  const requested = anchor === null ? [] : [anchor.number]
  const [head = null, known] = await requestBlocks(context, ['latest', ...requested])
  if (head === null) throw new Error('the node has no head')
  if (anchor === null) return head
  if (head.number < anchor.number) return whyShorter(context, head)
  return known?.hash === anchor.hash ? head : 'moved'
}

/** The chain is shorter than before: a lagging node agrees with what was read as far as it goes. */
async function whyShorter(
  context: TransferFollowerContext,
  head: Block,
): Promise<'moved' | 'behind'> {
  const { db, chain } = context
  const checkpoints = await readCheckpoints(db, chain.chainId)
  const below = checkpoints.find(({ number }) => number <= head.number)
  if (below === undefined) return 'behind'
  const [block] = await requestBlocks(context, [below.number])
  return block?.hash === below.hash ? 'behind' : 'moved'
}

function waitFor({ number }: Block): Round {
  const ended = { isUnfinished: false, isAtHead: false, disagreeing: [] }
  return { nextBlock: number + 1, head: number, safes: 0, behind: 0, ...ended }
}

async function takeBack(context: TransferFollowerContext): Promise<Round> {
  const { db, chain, onEvent } = context
  const fork = await lastOnChain(context)
  await rewind(db, chain.chainId, fork)
  // It may have forgotten which Safes were read.
  Object.assign(context.unread, createUnreadSearch())
  const to = fork ?? chain.startBlock - 1
  onEvent({ type: 'rewound', chainId: chain.chainId, to })
  const ended = { isUnfinished: true, isAtHead: false, disagreeing: [] }
  return { nextBlock: to + 1, head: to, safes: 0, behind: 0, ...ended }
}

/** The highest checkpoint that is still on the chain; null when none is. */
async function lastOnChain(context: TransferFollowerContext): Promise<number | null> {
  const checkpoints = await readCheckpoints(context.db, context.chain.chainId)
  const latestUpTo = (most: number) => checkpoints.find(({ number }) => number <= most) ?? null
  const fork = await findFork(
    async (most) => latestUpTo(most),
    async ({ number, hash }) => (await requestBlocks(context, [number]))[0]?.hash === hash,
    context.chain.startBlock - 1,
  )
  return latestUpTo(fork)?.number ?? null
}

/** Reads from the position towards the head. @returns the last block read now */
async function readOn(
  context: TransferFollowerContext,
  safes: readonly ListedSafe[],
  listed: ReadonlySet<string>,
  { anchor, head }: { anchor: Block | null; head: Block },
): Promise<Block | null> {
  const { db, chain } = context
  const addresses: Hex[] = safes.map(({ safe }) => safe)
  let end = anchor
  let from = (await readPosition(db, chain.chainId)) ?? chain.startBlock
  // Without an anchor nothing has been read: they are read with the chain from the first block on.
  let fresh = anchor === null ? addresses : []
  for (let part = 0; part < PARTS_A_ROUND && from <= head.number; part++) {
    context.stop?.throwIfAborted()
    const { end: read, tokens } = await readTransfers(
      context,
      addresses,
      { from, to: head.number },
      { anchor: end, listed },
    )
    if (read.number === head.number && read.hash !== head.hash)
      throw new ChangedDuringReadError(`the head, block ${head.number}, was replaced`)
    await inTransaction(db, async () => {
      await saveMovedTokens(db, chain.chainId, tokens, listed)
      if (fresh.length > 0) await markFollowed(db, chain.chainId, fresh)
      await writePosition(db, chain.chainId, read)
    })
    fresh = []
    end = read
    from = read.number + 1
  }
  return end
}

/** Blocks by number or name, all from the same node; null where it has none. */
async function requestBlocks(
  { pool, settings: { totalTimeoutMs } }: TransferFollowerContext,
  blocks: readonly (number | 'latest')[],
): Promise<(Block | null)[]> {
  const { answers } = await pool.send(blocks.map(createBlockHeaderRequest), { totalTimeoutMs })
  return blocks.map((_, position) => parseHeader(answers[position]))
}
