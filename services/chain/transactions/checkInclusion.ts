import type pg from 'pg'
import {
  BlockNotFoundError,
  type Hash,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { mapInParallel } from '../../process/mapInParallel.ts'
import { markConfirmed, markMined, markNonceLost, markReorged } from './markTransactions.ts'
import { findLowerMedian, findMajority } from './medianAndMajority.ts'
import { recordTransactionEnd, recordTransactionWaiting } from './recordTransactionEnd.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import type { SignedTransaction, Version } from './transactionStore.ts'

const CANCELLED = { problem: 'CANCELLED', detail: 'its nonce was used up by a cancellation' }

type MinedVersion = { version: Version; receipt: TransactionReceipt }

const CONCURRENT_REQUESTS = 128

/**
 * Finds out which transactions are in blocks, which are confirmed, and which a reorg has taken out of their blocks.
 *
 * @returns whether any may have changed
 */
export async function checkInclusion(
  pass: Pass,
  signed: readonly SignedTransaction[],
): Promise<boolean> {
  const { context, db, view } = pass
  const canonical = await canonicalBlocks(context, signed)
  const isCanonical = ({ state, blockHash }: SignedTransaction) =>
    state === 'mined' && blockHash !== null && canonical.has(blockHash)
  const toCheck = signed.filter(
    (one) => !isCanonical(one) && (one.state === 'mined' || one.nonce < view.highestNext),
  )
  const checked = await mapInParallel(toCheck, CONCURRENT_REQUESTS, async (transaction) => ({
    transaction,
    ...(await findReceipt(context, transaction)),
  }))
  const inBlocks = checked.flatMap(({ transaction, found }) =>
    found ? [{ transaction, found }] : [],
  )
  const mined = await recordMined(context, db, inBlocks)
  const ended = await endConfirmed(pass, [...signed.filter(isCanonical), ...mined])
  for (const { transaction, isMissing } of checked) {
    if (transaction.state === 'mined' && isMissing) await recordReorg(context, db, transaction)
  }
  const unmined = checked.filter(({ transaction }) => transaction.state !== 'mined')
  for (const transaction of findLongMissing(context, unmined)) {
    await handleLostNonce(pass, transaction)
  }
  return checked.length > 0 || ended > 0
}

/** Hashes of the transactions' blocks that are still on the chain; one request for each block. */
async function canonicalBlocks(
  { nodes }: SenderContext,
  signed: readonly SignedTransaction[],
): Promise<ReadonlySet<Hash>> {
  const known = new Map<number, Hash>()
  for (const { state, blockNumber, blockHash } of signed) {
    if (state === 'mined' && blockNumber && blockHash) known.set(blockNumber, blockHash)
  }
  const hashes = await mapInParallel([...known], CONCURRENT_REQUESTS, async ([number, hash]) => {
    const answers = await nodes.queryAll((client) => hashOf(client, number), String).catch(() => [])
    return findMajority(answers, String) === hash ? [hash] : []
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

/** If none of these holds, the nodes differ: one is behind or lies. */
type Inclusion = {
  /** The version that most nodes have in a block. */
  found: MinedVersion | null
  /** Whether most nodes have no version in a block. Enough to assume a reorg, after which the same bytes are sent again. */
  isMissing: boolean
  /** Whether any node has one in a block. */
  isShown: boolean
  /**
   * Whether no node has one, and one of several didn't answer alone. Required before a nonce counts as lost, after which
   * the call is signed again with another.
   */
  isNowhere: boolean
}

async function findReceipt(
  { nodes }: SenderContext,
  { versions }: SignedTransaction,
): Promise<Inclusion> {
  const answers = await nodes.queryAll((client) => findReceiptAt(client, versions), keyOf)
  const missing = answers.filter((found) => found === null).length
  return {
    found: findMajority(answers, keyOf),
    isMissing: 2 * missing > answers.length,
    isShown: missing < answers.length,
    isNowhere: missing === answers.length && (missing > 1 || nodes.count === 1),
  }
}

/** Asks for all versions at once: one after the other, an honest node would take longer than one that invents a receipt. */
async function findReceiptAt(
  client: PublicClient,
  versions: readonly Version[],
): Promise<MinedVersion | null> {
  const found = await Promise.all(
    versions.map(async (version) => {
      const { hash } = version
      const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return null
        throw error
      })
      return receipt && { version, receipt }
    }),
  )
  return found.find((one) => one !== null) ?? null
}

function keyOf(found: MinedVersion | null): string {
  if (found === null) return 'nowhere'
  const { version, receipt } = found
  return `${version.hash} ${receipt.blockNumber} ${receipt.blockHash} ${receipt.status}`
}

/** @returns the transactions with their blocks */
async function recordMined(
  context: SenderContext,
  db: pg.ClientBase,
  inBlocks: readonly { transaction: SignedTransaction; found: MinedVersion }[],
): Promise<SignedTransaction[]> {
  const mined = inBlocks.map(({ transaction, found: { version, receipt } }) => {
    const { hash, isCancel } = version
    const { blockHash } = receipt
    // A cancellation has none of the desired effect, even when it succeeds.
    const succeeded = receipt.status === 'success' && !isCancel
    const end = isCancel ? CANCELLED : null
    const isNew = transaction.state !== 'mined' || transaction.blockHash !== blockHash
    const blockNumber = Number(receipt.blockNumber)
    return { transaction, isNew, block: { hash, blockNumber, blockHash, succeeded, ...end } }
  })
  const newlyMined = mined.filter(({ isNew }) => isNew)
  for (const { transaction } of newlyMined) context.onPhase('mined', transaction)
  await markMined(
    db,
    newlyMined.map(({ transaction, block }) => ({ id: transaction.id, ...block })),
  )
  for (const { transaction, block } of newlyMined) {
    context.onEvent({ type: 'mined', transaction, hash: block.hash })
  }
  return mined.map(({ transaction, block: { hash, blockNumber, succeeded } }) => {
    return { ...transaction, txHash: hash, blockNumber, succeeded }
  })
}

/** Ends transactions whose blocks have enough confirmations. @returns how many */
async function endConfirmed(
  pass: Pass,
  transactions: readonly SignedTransaction[],
): Promise<number> {
  const { context, db, view } = pass
  const { progress, confirmations } = context
  const confirmed = transactions.filter(
    ({ blockNumber }) => blockNumber !== null && view.head - blockNumber >= confirmations,
  )
  const counts = confirmed.map(({ nonce }) => nonce + 1)
  progress.confirmedCount = Math.max(progress.confirmedCount, ...counts)
  for (const transaction of confirmed) context.onPhase('confirmed', transaction)
  const succeeded = confirmed.filter((one) => one.succeeded && !isCancelled(one))
  await markConfirmed(
    db,
    succeeded.map(({ id }) => id),
  )
  for (const transaction of confirmed) {
    if (isCancelled(transaction)) {
      await recordTransactionEnd(pass, transaction, { state: 'superseded', ...CANCELLED })
    } else if (transaction.succeeded) {
      context.onEvent({ type: 'confirmed', transaction, hash: transaction.txHash as Hash })
    } else {
      const detail = `reverted in block ${transaction.blockNumber}`
      const problem = 'REVERTED_ON_CHAIN'
      await recordTransactionEnd(pass, transaction, { state: 'failed', problem, detail })
    }
  }
  return confirmed.length
}

/** Whether the version in the block is a cancellation. */
function isCancelled({ versions, txHash }: SignedTransaction): boolean {
  return versions.find(({ hash }) => hash === txHash)?.isCancel === true
}

async function recordReorg(
  context: SenderContext,
  db: pg.ClientBase,
  transaction: SignedTransaction,
): Promise<void> {
  await markReorged(db, transaction.id)
  context.onEvent({ type: 'taken-back', transaction, hash: transaction.txHash as Hash })
}

/**
 * Of transactions whose nonces are used, those that are in no block, and haven't been for long. Where blocks are fast,
 * receipts may lag by more of them than confirm anything: signed again, a call would fail, or pay twice.
 */
function findLongMissing(
  { progress, resendAfterMs }: SenderContext,
  checked: readonly ({ transaction: SignedTransaction } & Inclusion)[],
): SignedTransaction[] {
  const now = performance.now()
  const since = (nonce: number) => progress.missingSince.get(nonce) ?? now
  // Only a receipt starts the time again: of two nodes, one that often doesn't answer would put off the end for ever.
  const unshown = checked.filter(({ isShown }) => !isShown)
  progress.missingSince = new Map(
    unshown.map(({ transaction: { nonce } }) => [nonce, since(nonce)] as const),
  )
  return unshown.flatMap(({ transaction, isNowhere }) =>
    isNowhere && now - since(transaction.nonce) >= resendAfterMs ? [transaction] : [],
  )
}

/** A node's receipts may lag by a block. */
const URGENT_DEPTH = 1

/**
 * Handles a nonce that another transaction has used. Believed only at the depth of everything else we act on: a node's
 * receipts may lag, and a reorg may free the nonce again, after which an urgent call fails if its earlier version is mined.
 */
async function handleLostNonce(pass: Pass, transaction: SignedTransaction): Promise<void> {
  const { nodes, account, chainId, confirmations, isUrgent, onEvent } = pass.context
  const depth = isUrgent(transaction) ? Math.min(confirmations, URGENT_DEPTH) : confirmations
  const blockNumber = BigInt(Math.max(0, pass.view.head - depth))
  try {
    const counts = await nodes.queryAll(
      (client) => client.getTransactionCount({ address: account, blockNumber }),
      String,
    )
    if (findLowerMedian(counts) <= transaction.nonce) return
    await markNonceLost(pass.db, transaction.id)
    const detail = `a transaction that this database doesn’t have used nonce ${transaction.nonce} of ${account}. Unless a backup was restored, another program has the same key: stop it`
    onEvent({ type: 'trouble', chainId, problem: 'NONCE_TAKEN', detail })
  } catch {
    // Nodes without an archive keep about 128 blocks of state. This transaction waits; the others go on.
    const detail = `no node has the account’s nonce at block ${blockNumber}`
    await recordTransactionWaiting(pass, transaction, { problem: 'RPC_UNREACHABLE', detail })
  }
}
