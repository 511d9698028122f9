import type pg from 'pg'
import { type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
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

/** Finds out which transactions are in blocks, how deep, and which have left them. */
export async function checkBlocks(
  context: SenderContext,
  db: pg.ClientBase,
  view: ChainView,
  underway: readonly Underway[],
): Promise<void> {
  const looked = await Promise.all(
    underway
      .filter(({ state, nonce }) => state === 'mined' || nonce < view.next)
      .map(async (transaction) => ({
        transaction,
        found: await findInBlock(context, transaction),
      })),
  )
  for (const { transaction, found } of looked) {
    const wasMined = transaction.state === 'mined'
    if (found) await judge(context, db, view, transaction, found)
    else if (wasMined) await takeBack(context, db, transaction)
    else await loseNonce(context, db, view, transaction)
  }
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
  { head }: ChainView,
  transaction: Underway,
  { version, receipt }: Found,
): Promise<void> {
  const { id } = transaction
  const { isCancel } = version
  // A cancellation does nothing of what was wanted, however well it goes.
  const succeeded = receipt.status === 'success' && !isCancel
  const blockNumber = Number(receipt.blockNumber)
  const { hash } = version
  if (transaction.state !== 'mined' || transaction.blockHash !== receipt.blockHash) {
    context.onPhase('mined', transaction)
    const { blockHash } = receipt
    const end = isCancel ? CANCELLED : null
    await markMined(db, id, { hash, blockNumber, blockHash, succeeded, ...end })
    context.tell({ type: 'mined', transaction, hash })
  }
  if (head - blockNumber < context.confirmations) return
  context.onPhase('confirmed', transaction)
  if (isCancel) {
    const { problem, detail } = CANCELLED
    await markOver(db, id, 'superseded', problem, detail)
    context.tell({ type: 'superseded', transaction, problem })
  } else if (succeeded) {
    await markOver(db, id, 'confirmed')
    context.tell({ type: 'confirmed', transaction, hash })
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
