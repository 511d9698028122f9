import type pg from 'pg'
import {
  BlockNotFoundError,
  type Hash,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { inParallel } from '../../process/inParallel.ts'
import { majority } from './majority.ts'
import { lowerMedian } from './medians.ts'
import { recordEnd, recordWaiting } from './recordOutcome.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import {
  markConfirmed,
  markMined,
  markNonceLost,
  markTakenBack,
  type Underway,
  type Version,
} from './senderStore.ts'

const CANCELLED = { problem: 'CANCELLED', detail: 'its nonce was used up by a cancellation' }

type Found = { version: Version; receipt: TransactionReceipt }

/** Questions to the chain's nodes at once. */
const AT_ONCE = 128

/**
 * Finds out which transactions are in blocks, how deep, and which have left them.
 *
 * @returns whether anything of them has changed
 */
export async function checkInclusion(pass: Pass, underway: readonly Underway[]): Promise<boolean> {
  const { context, db, view } = pass
  const canonical = await canonicalBlocks(context, underway)
  const isCanonical = ({ state, blockHash }: Underway) =>
    state === 'mined' && blockHash !== null && canonical.has(blockHash)
  const sought = underway.filter(
    (one) => !isCanonical(one) && (one.state === 'mined' || one.nonce < view.mostNext),
  )
  const looked = await inParallel(sought, AT_ONCE, async (transaction) => ({
    transaction,
    ...(await findInBlock(context, transaction)),
  }))
  const inBlocks = looked.flatMap(({ transaction, found }) =>
    found ? [{ transaction, found }] : [],
  )
  const mined = await noteMined(context, db, inBlocks)
  const ended = await endDeep(pass, [...underway.filter(isCanonical), ...mined])
  for (const { transaction, isNowhere } of looked) {
    if (!isNowhere) continue
    if (transaction.state === 'mined') await takeBack(context, db, transaction)
    else await handleLostNonce(pass, transaction)
  }
  return looked.length > 0 || ended > 0
}

/** Of the blocks that hold transactions, those that the chain still has: one question for each. */
async function canonicalBlocks(
  { nodes }: SenderContext,
  underway: readonly Underway[],
): Promise<ReadonlySet<Hash>> {
  const known = new Map<number, Hash>()
  for (const { state, blockNumber, blockHash } of underway) {
    if (state === 'mined' && blockNumber && blockHash) known.set(blockNumber, blockHash)
  }
  const hashes = await inParallel([...known], AT_ONCE, async ([number, hash]) => {
    const said = await nodes.queryAll((client) => hashOf(client, number), String).catch(() => [])
    return majority(said, String) === hash ? [hash] : []
  })
  return new Set(hashes.flat())
}

async function hashOf(client: PublicClient, number: number): Promise<Hash | null> {
  try {
    return (await client.getBlock({ blockNumber: BigInt(number) })).hash
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null
    throw error
  }
}

type Sighting = {
  /** The version that is in a block, by most nodes. */
  found: Found | null
  /** No node has any in a block. Neither: they differ, and one of them is behind or lies. */
  isNowhere: boolean
}

async function findInBlock({ nodes }: SenderContext, { versions }: Underway): Promise<Sighting> {
  const said = await nodes.queryAll((client) => findAt(client, versions), wordOf)
  return { found: majority(said, wordOf), isNowhere: said.every((found) => found === null) }
}

/** The newest version is the likeliest. */
async function findAt(client: PublicClient, versions: readonly Version[]): Promise<Found | null> {
  for (const version of versions.toReversed()) {
    const receipt = await client
      .getTransactionReceipt({ hash: version.hash })
      .catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return null
        throw error
      })
    if (receipt) return { version, receipt }
  }
  return null
}

function wordOf(found: Found | null): string {
  if (found === null) return 'nowhere'
  const { version, receipt } = found
  return `${version.hash} ${receipt.blockNumber} ${receipt.blockHash} ${receipt.status}`
}

/** @returns the transactions with their blocks */
async function noteMined(
  context: SenderContext,
  db: pg.ClientBase,
  inBlocks: readonly { transaction: Underway; found: Found }[],
): Promise<Underway[]> {
  const mined = inBlocks.map(({ transaction, found: { version, receipt } }) => {
    const { hash, isCancel } = version
    const { blockHash } = receipt
    // A cancellation has none of the desired effect, even when it succeeds.
    const succeeded = receipt.status === 'success' && !isCancel
    const end = isCancel ? CANCELLED : null
    const isNews = transaction.state !== 'mined' || transaction.blockHash !== blockHash
    const blockNumber = Number(receipt.blockNumber)
    return { transaction, isNews, in: { hash, blockNumber, blockHash, succeeded, ...end } }
  })
  const news = mined.filter(({ isNews }) => isNews)
  for (const { transaction } of news) context.onPhase('mined', transaction)
  await markMined(
    db,
    news.map((one) => ({ id: one.transaction.id, ...one.in })),
  )
  for (const { transaction, in: block } of news) {
    context.onEvent({ type: 'mined', transaction, hash: block.hash })
  }
  return mined.map(({ transaction, in: { hash, blockNumber, succeeded } }) => ({
    ...{ ...transaction, txHash: hash, blockNumber, succeeded },
  }))
}

/** Ends transactions whose blocks are deep enough. @returns how many */
async function endDeep(pass: Pass, transactions: readonly Underway[]): Promise<number> {
  const { context, db, view } = pass
  const deep = transactions.filter(
    ({ blockNumber }) => blockNumber !== null && view.head - blockNumber >= context.confirmations,
  )
  context.spent.count = Math.max(context.spent.count, ...deep.map(({ nonce }) => nonce + 1))
  for (const transaction of deep) context.onPhase('confirmed', transaction)
  const well = deep.filter((one) => one.succeeded && !isCancelled(one))
  await markConfirmed(
    db,
    well.map(({ id }) => id),
  )
  for (const transaction of deep) {
    if (isCancelled(transaction)) {
      await recordEnd(pass, transaction, { state: 'superseded', ...CANCELLED })
    } else if (transaction.succeeded) {
      context.onEvent({ type: 'confirmed', transaction, hash: transaction.txHash as Hash })
    } else {
      const detail = `reverted in block ${transaction.blockNumber}`
      const problem = 'REVERTED_ON_CHAIN'
      await recordEnd(pass, transaction, { state: 'failed', problem, detail })
    }
  }
  return deep.length
}

/** Whether what is in the block is a cancellation. */
function isCancelled({ versions, txHash }: Underway): boolean {
  return versions.find(({ hash }) => hash === txHash)?.isCancel === true
}

async function takeBack(
  context: SenderContext,
  db: pg.ClientBase,
  transaction: Underway,
): Promise<void> {
  await markTakenBack(db, transaction.id)
  const hash = transaction.txHash ?? transaction.versions.at(-1)?.hash
  if (hash) context.onEvent({ type: 'taken-back', transaction, hash })
}

/**
 * Handles a nonce that another transaction has used. Believed only at the depth of everything else we act on: a node's
 * receipts may lag, and a reorg may free the nonce again.
 */
async function handleLostNonce(pass: Pass, transaction: Underway): Promise<void> {
  const { nodes, account, confirmations } = pass.context
  const blockNumber = BigInt(Math.max(0, pass.view.head - confirmations))
  try {
    const counts = await nodes.queryAll(
      (client) => client.getTransactionCount({ address: account, blockNumber }),
      String,
    )
    if (lowerMedian(counts) > transaction.nonce) await markNonceLost(pass.db, transaction.id)
  } catch {
    // Nodes without an archive keep about 128 blocks of state. This transaction waits; the others go on.
    const detail = `no node has the account’s nonce at block ${blockNumber}`
    await recordWaiting(pass, transaction, { problem: 'RPC_UNREACHABLE', detail })
  }
}
