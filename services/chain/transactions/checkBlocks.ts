import type pg from 'pg'
import { type Hash, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { inParallel } from './inParallel.ts'
import type { ChainView, SenderContext } from './sender.ts'
import {
  markMined,
  markNonceLost,
  markOver,
  markTakenBack,
  type Underway,
  type Version,
} from './senderStore.ts'

const CANCELLED = { problem: 'CANCELLED', detail: 'its nonce was used up by a cancellation' }

type Found = { version: Version; receipt: TransactionReceipt }

/** Questions to the chain's nodes at once. */
const AT_ONCE = 32

/** Finds out which transactions are in blocks, how deep, and which have left them. */
export async function checkBlocks(
  context: SenderContext,
  db: pg.ClientBase,
  view: ChainView,
  underway: readonly Underway[],
): Promise<void> {
  const standing = await standingBlocks(context, underway)
  const isStanding = ({ state, blockHash }: Underway) =>
    state === 'mined' && blockHash !== null && standing.has(blockHash)
  const sought = underway.filter(
    (one) => !isStanding(one) && (one.state === 'mined' || one.nonce < view.next),
  )
  const looked = await inParallel(sought, AT_ONCE, async (transaction) => ({
    transaction,
    found: await findInBlock(context, transaction),
  }))
  for (const transaction of underway.filter(isStanding)) {
    await endIfDeep(context, db, view, transaction)
  }
  for (const { transaction, found } of looked) {
    const wasMined = transaction.state === 'mined'
    if (found) await judge(context, db, view, transaction, found)
    else if (wasMined) await takeBack(context, db, transaction)
    else await loseNonce(context, db, view, transaction)
  }
}

/** Of the blocks that hold transactions, those that the chain still has: one question for each. */
async function standingBlocks(
  { client }: SenderContext,
  underway: readonly Underway[],
): Promise<ReadonlySet<Hash>> {
  const known = new Map<number, Hash>()
  for (const { state, blockNumber, blockHash } of underway) {
    if (state === 'mined' && blockNumber && blockHash) known.set(blockNumber, blockHash)
  }
  const hashes = await inParallel([...known], AT_ONCE, async ([number, hash]) => {
    const block = await client.getBlock({ blockNumber: BigInt(number) }).catch(() => null)
    return block?.hash === hash ? [hash] : []
  })
  return new Set(hashes.flat())
}

/** The version that is in a block, if one is: the newest is the likeliest. */
async function findInBlock(
  { client }: SenderContext,
  { versions }: Underway,
): Promise<Found | null> {
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

async function judge(
  context: SenderContext,
  db: pg.ClientBase,
  view: ChainView,
  transaction: Underway,
  { version, receipt }: Found,
): Promise<void> {
  const { hash, isCancel } = version
  const { blockHash } = receipt
  const blockNumber = Number(receipt.blockNumber)
  // A cancellation does nothing of what was wanted, however well it goes.
  const succeeded = receipt.status === 'success' && !isCancel
  if (transaction.state !== 'mined' || transaction.blockHash !== blockHash) {
    context.onPhase('mined', transaction)
    const end = isCancel ? CANCELLED : null
    await markMined(db, transaction.id, { hash, blockNumber, blockHash, succeeded, ...end })
    context.tell({ type: 'mined', transaction, hash })
  }
  await endIfDeep(context, db, view, { ...transaction, txHash: hash, blockNumber, succeeded })
}

/** Ends a transaction whose block is as deep as it takes. */
async function endIfDeep(
  context: SenderContext,
  db: pg.ClientBase,
  { head }: ChainView,
  transaction: Underway,
): Promise<void> {
  const { id, txHash, blockNumber, succeeded, versions } = transaction
  if (txHash === null || blockNumber === null) return
  if (head - blockNumber < context.confirmations) return
  context.onPhase('confirmed', transaction)
  if (versions.find(({ hash }) => hash === txHash)?.isCancel) {
    const { problem, detail } = CANCELLED
    await markOver(db, id, 'superseded', problem, detail)
    context.tell({ type: 'superseded', transaction, problem })
  } else if (succeeded) {
    await markOver(db, id, 'confirmed')
    context.tell({ type: 'confirmed', transaction, hash: txHash })
  } else {
    await markOver(db, id, 'failed', 'REVERTED_ON_CHAIN', `reverted in block ${blockNumber}`)
    context.tell({ type: 'failed', transaction, problem: 'REVERTED_ON_CHAIN' })
  }
}

async function takeBack(
  context: SenderContext,
  db: pg.ClientBase,
  transaction: Underway,
): Promise<void> {
  await markTakenBack(db, transaction.id)
  const hash = transaction.txHash ?? transaction.versions.at(-1)?.hash
  if (hash) context.tell({ type: 'taken-back', transaction, hash })
}

/**
 * The chain has gone past the nonce without any of our versions. Believed only once it is as deep as
 * everything else we act on: a node may lag with its receipts, and a reorg may give the nonce back.
 */
async function loseNonce(
  { client, account, confirmations }: SenderContext,
  db: pg.ClientBase,
  { head }: ChainView,
  { id, nonce }: Underway,
): Promise<void> {
  const blockNumber = BigInt(Math.max(0, head - confirmations))
  const count = await client.getTransactionCount({ address: account, blockNumber })
  if (count > nonce) await markNonceLost(db, id)
}
