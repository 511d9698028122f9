import { type Hex, keccak256, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { approve } from '../client/approve.ts'
import { checkLiquidity } from '../client/checkLiquidity.ts'
import type { ClientContext } from '../client/clientOptions.ts'
import { createdIntentId } from '../client/createdIntentId.ts'
import { handleOf, type IntentHandle } from '../client/intentHandle.ts'
import type { IntentRequest } from '../client/intentRequest.ts'
import { prepareIntent } from '../client/prepareIntent.ts'
import { requireWallet, type SendingWallet } from '../client/requireWallet.ts'
import { sendTransaction } from '../client/sendTransaction.ts'
import type { SubmitOptions } from '../client/submitIntent.ts'
import { type IntentChains, validateIntent } from '../client/validateIntent.ts'
import { CairnError } from '../errors/cairnError.ts'
import { withChainErrors } from '../errors/chainFailure.ts'
import type { BatchRequest } from './batchRequest.ts'
import { type BatchState, checkState, digestOf, newBatch } from './batchState.ts'
import { findCreated } from './findCreated.ts'
import { type BatchPart, splitBatch } from './splitBatch.ts'

export type BatchOptions = SubmitOptions & {
  /** The last state given to `save`, if an earlier run didn't finish. */
  state?: BatchState | undefined
  /**
   * Stores the state where it outlives the program. Awaited before anything is sent and after each intent.
   */
  save: (state: BatchState) => Promise<void> | void
  /** Called with each created intent, including those of earlier runs. */
  onProgress?: (progress: BatchProgress) => void
  /** Stops between two intents; another run does the rest. */
  signal?: AbortSignal
}

export type BatchProgress = {
  /** Index among the batch's intents. */
  intent: IntentHandle
  recipients: IntentRequest['recipients']
  /** Intents created so far, and in total. */
  created: number
  intents: number
}

/** How far back a reorg may have moved a transaction. */
const REORG_BLOCKS = 100

/**
 * Depth at which a missing transaction is considered lost: no reorg reaches it, no provider lags that far, and nodes still
 * have its state.
 */
const SETTLED_BLOCKS = 64n

/** The current part. */
type Work = {
  part: BatchPart
  state: BatchState
  at: number
  seconds: number
  save(): Promise<void>
}

/**
 * Pays any number of recipients with as many intents as needed, one after another. After a kill, a run with the saved
 * state resumes and creates no part twice: before a part is sent, its nonce is saved, and every attempt at that part uses
 * the same nonce, so that the chain accepts at most one. The sealed recipients in the creation's event identify it.
 *
 * @throws CairnError also `BATCH_STATE_INVALID`, and `TRANSACTION_PENDING` where an earlier attempt may still be mined:
 *   the wallet chooses its own nonces, or a reorg or a lagging provider hides it for the moment
 */
export async function submitBatch(
  context: ClientContext,
  request: BatchRequest,
  options: BatchOptions,
): Promise<IntentHandle[]> {
  const parts = splitBatch(request)
  const chains = checkParts(context, parts, request.auctionSeconds)
  const wallet = requireWallet(context, chains.source)
  const digest = digestOf(request, wallet.account.address)
  const state = structuredClone(options.state ?? newBatch(digest, parts.length))
  checkState(state, digest, parts.length)
  const save = async () => options.save(structuredClone(state))
  const seconds = request.auctionSeconds
  const works = parts.map((part, at): Work => ({ part, state, at, seconds, save }))
  for (const work of works) await recall(work, wallet, chains)
  const left = works.filter(({ at }) => state.parts[at]?.intentId === null)
  if (left.length > 0) await makeReady(context, left, wallet, chains, options)
  const handles: IntentHandle[] = []
  for (const work of works) {
    options.signal?.throwIfAborted()
    const intent = await createOnce(context, work, wallet, chains)
    handles.push(intent)
    const { recipients } = work.part
    options.onProgress?.({ intent, recipients, created: handles.length, intents: parts.length })
  }
  for (const work of works) await requireKept(work, wallet, chains)
  return handles
}

/** A reorg during later creations may have removed this intent, or given its id to another. */
async function requireKept(work: Work, wallet: SendingWallet, chains: IntentChains): Promise<void> {
  const part = work.state.parts[work.at]
  const before = part?.intentId
  await recall(work, wallet, chains)
  const nonce = part?.attempt?.nonce ?? 0
  if (part?.intentId !== before) throw mayStillCome(nonce, work.at)
}

/** Prepares all parts before the first is sent, so that a mistake in the last one surfaces now. */
function checkParts(
  context: ClientContext,
  parts: readonly BatchPart[],
  seconds: number,
): IntentChains {
  const now = Date.now() / 1_000
  const [first] = parts.map((part) =>
    validateIntent({ ...part, deadline: now + seconds }, context.chains, now),
  )
  if (first !== undefined) return first
  throw new CairnError('INVALID_RECIPIENT', 'recipients: at least one is required')
}

/** Checks and approvals that cover all remaining parts at once. */
async function makeReady(
  context: ClientContext,
  left: readonly Work[],
  wallet: SendingWallet,
  chains: IntentChains,
  { skipLiquidityCheck = false }: BatchOptions,
): Promise<void> {
  const [first] = left
  if (first === undefined) return
  if (!skipLiquidityCheck) {
    await checkLiquidity(context.relayer, { ...first.part, deadline: 0 })
  }
  const needed = left.reduce((sum, { part }) => sum + part.amountIn + part.reward, 0n)
  await approve(wallet, { token: first.part.tokenIn, bridge: chains.source.bridge }, needed)
}

/** Checks whether this part's transaction is still in a block: a reorg may have removed it. */
async function recall(
  { state, at, save }: Work,
  wallet: SendingWallet,
  { source: { bridge } }: IntentChains,
): Promise<void> {
  const part = state.parts[at]
  if (part === undefined || part.attempt === null) return
  const { nonce, fromBlock, blobs } = part.attempt
  const receipt = await receiptOf(wallet, part.createTxHash)
  const isThere = receipt?.status === 'success'
  if (isThere && String(createdIntentId(receipt, { bridge }, blobs)) === part.intentId) return
  const { client, account } = wallet
  const wasCreated = part.intentId !== null && receipt?.status !== 'reverted'
  await withChainErrors(async () => {
    const toBlock = await client.getBlockNumber({ cacheTime: 0 })
    const range = { fromBlock: BigInt(fromBlock), toBlock }
    const found = await findCreated(client, { bridge, sender: account.address, blobs }, range)
    const intentId = found === null ? null : String(found.intentId)
    const use = found === null ? await useOf(wallet, nonce, toBlock) : 'open'
    // Never give up a part that was once seen in a block: only the same nonce may be sent again.
    const isUndecided = wasCreated ? use !== 'open' : use === 'recent'
    if (isUndecided || (use === 'open' && found === null && account.type !== 'local')) {
      throw mayStillCome(nonce, at)
    }
    Object.assign(part, { intentId, createTxHash: found?.createTxHash ?? null })
    // Something else used the nonce: no attempt at this part can be mined any more.
    if (use === 'settled') part.attempt = null
  })
  await save()
}

async function receiptOf(
  { client }: SendingWallet,
  hash: Hex | null,
): Promise<TransactionReceipt | null> {
  if (hash === null) return null
  return withChainErrors(() => client.getTransactionReceipt({ hash })).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  })
}

/** Whether the account has used this nonce, deeply enough to be final. */
async function useOf(
  { client, account: { address, type } }: SendingWallet,
  nonce: number,
  toBlock: bigint,
): Promise<'open' | 'recent' | 'settled'> {
  const used = await client.getTransactionCount({ address, blockNumber: toBlock })
  if (used <= nonce) return 'open'
  const blockNumber = toBlock > SETTLED_BLOCKS ? toBlock - SETTLED_BLOCKS : 0n
  const settled = await withChainErrors(() =>
    client.getTransactionCount({ address, blockNumber }),
  ).catch((error: unknown) => {
    if (error instanceof CairnError) throw error
    // A node without historical state can't tell, and giving up needs certainty.
    return 0
  })
  if (settled <= nonce) return 'recent'
  if (type === 'local') return 'settled'
  // The wallet may have chosen another nonce.
  const pending = await client.getTransactionCount({ address, blockTag: 'pending' })
  return pending > used ? 'recent' : 'settled'
}

function mayStillCome(nonce: number, part: number): CairnError {
  const words =
    'an earlier transaction for this intent may still be mined: check the wallet’s activity, and retry in a few minutes, when nothing is pending'
  return new CairnError('TRANSACTION_PENDING', words, {
    ...{ retryable: true, details: { nonce, part } },
  })
}

async function createOnce(
  context: ClientContext,
  work: Work,
  wallet: SendingWallet,
  chains: IntentChains,
): Promise<IntentHandle> {
  const part = work.state.parts[work.at]
  if (part === undefined) throw new CairnError('BATCH_STATE_INVALID', 'the state lacks this part')
  if (part.intentId !== null) {
    return handleOf(context, BigInt(part.intentId), { createTxHash: part.createTxHash })
  }
  const { client, account } = wallet
  const { timestamp, number } = await withChainErrors(() => client.getBlock())
  const now = Number(timestamp)
  const intent = { ...work.part, deadline: now + work.seconds }
  const { data, blob } = await prepareIntent(context, intent, now)
  const nonce =
    part.attempt?.nonce ??
    (await withChainErrors(() =>
      client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
    ))
  const { fromBlock = Math.max(0, Number(number) - REORG_BLOCKS), blobs = [] } = part.attempt ?? {}
  part.attempt = { nonce, fromBlock, blobs: [...blobs, keccak256(blob)] }
  await work.save()
  const receipt = await sendTransaction(wallet, chains.source.bridge, data, nonce)
  const id = createdIntentId(receipt, chains.source, part.attempt.blobs)
  Object.assign(part, { intentId: String(id), createTxHash: receipt.transactionHash })
  await work.save()
  return handleOf(context, id, { createTxHash: receipt.transactionHash })
}
