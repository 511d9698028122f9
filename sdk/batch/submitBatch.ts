import { type Hex, keccak256, type TransactionReceipt } from 'viem'
import { approveToken } from '../client/approveToken.ts'
import { checkIntentAgainstBridge } from '../client/checkIntentAgainstBridge.ts'
import { checkLiquidity } from '../client/checkLiquidity.ts'
import type { ClientContext } from '../client/clientOptions.ts'
import { countSent } from '../client/countSent.ts'
import { findCreatedIntentId } from '../client/findCreatedIntentId.ts'
import { createIntentHandle, type IntentHandle } from '../client/intentHandle.ts'
import type { IntentRequest } from '../client/intentRequest.ts'
import { prepareIntent } from '../client/prepareIntent.ts'
import { requireWallet, type SendingWallet } from '../client/requireWallet.ts'
import { sendTransaction } from '../client/sendTransaction.ts'
import type { SubmitOptions } from '../client/submitIntent.ts'
import { type IntentChains, validateIntent } from '../client/validateIntent.ts'
import { CairnError } from '../errors/cairnError.ts'
import { findViemError } from '../errors/findViemError.ts'
import { transactionPending, withChainErrors } from '../errors/toCairnError.ts'
import type { BatchRequest } from './batchRequest.ts'
import { type BatchState, createBatchState, hashRequest, requireSameBatch } from './batchState.ts'
import { findIntentByBlobs } from './findIntentByBlobs.ts'
import { type BatchPart, splitBatch } from './splitBatch.ts'

export type BatchOptions = SubmitOptions & {
  /** The last state given to `save`, if an earlier run didn't finish. */
  state?: BatchState | undefined
  /**
   * Stores the state where it outlives the program. Awaited before anything is sent and after each intent.
   */
  save: (state: BatchState) => Promise<void> | void
  /** Called with each created intent, including those of earlier runs, and again if a reorg has given it another id. */
  onProgress?: ((progress: BatchProgress) => void) | undefined
  /** Stops between two intents; another run does the rest. */
  signal?: AbortSignal | undefined
}

export type BatchProgress = {
  /** The intent just created. */
  intent: IntentHandle
  /** Its recipients. */
  recipients: IntentRequest['recipients']
  /** Number of intents created so far. */
  created: number
  /** Number of intents in the batch. */
  intents: number
}

/** Blocks before the first attempt to search too, because a reorg may move its transaction there. */
const REORG_BLOCKS = 100

/**
 * Depth at which a used nonce is final: no reorg reaches it, no provider lags that far, and nodes still have its state.
 */
const FINAL_BLOCKS = 64n

/** A part of the batch with its place in the saved state. */
type PartJob = {
  part: BatchPart
  saved: BatchState['parts'][number]
  index: number
  auctionSeconds: number
  save(): Promise<void>
}

/**
 * Pays any number of recipients with as many intents as needed, one after another. After a crash, a run with the saved
 * state resumes and creates no part twice: a part's nonce is saved before the part is sent, and every attempt at it uses
 * that nonce, so that the chain accepts at most one. The sealed recipients in the creation's event identify the part.
 *
 * @throws CairnError also `BATCH_STATE_INVALID`, and `TRANSACTION_PENDING` where an earlier attempt may still be mined:
 *   the wallet chooses its own nonces, or a reorg or a lagging provider hides it for the moment
 */
export async function submitBatch(
  context: ClientContext,
  request: BatchRequest,
  options: BatchOptions,
): Promise<IntentHandle[]> {
  const { auctionSeconds } = request
  const now = Date.now() / 1_000
  // The whole list, so that a mistake is named by its place in it, and before the first part is sent.
  const whole = { ...request, deadline: now + auctionSeconds }
  const chains = validateIntent(whole, context.chains, now, Number.POSITIVE_INFINITY)
  const parts = splitBatch(request)
  const wallet = requireWallet(context, chains.source)
  const digest = hashRequest(request, wallet.account.address, chains.source.bridge)
  const state = structuredClone(options.state ?? createBatchState(digest, parts.length))
  requireSameBatch(state, digest, parts.length)
  const save = async () => options.save(structuredClone(state))
  const jobs = parts.map(
    (part, index): PartJob => ({ part, saved: state.parts[index]!, index, auctionSeconds, save }),
  )
  for (const job of jobs) await refreshPart(job, wallet, chains)
  const remaining = jobs.filter(({ saved }) => saved.intentId === null)
  if (remaining.length > 0) await approveRemaining(context, remaining, wallet, chains, options)
  const handles: IntentHandle[] = []
  const report = ({ index, part: { recipients } }: PartJob, intent: IntentHandle) => {
    handles[index] = intent
    options.onProgress?.({ intent, recipients, created: handles.length, intents: parts.length })
  }
  for (const job of jobs) {
    options.signal?.throwIfAborted()
    report(job, await createPart(context, job, wallet, chains))
  }
  // A reorg during later creations may have removed an intent, or given it another id.
  for (const job of jobs) {
    await refreshPart(job, wallet, chains)
    const intent = requireCreated(context, job)
    if (intent.id !== handles[job.index]?.id) report(job, intent)
  }
  return handles
}

/** @throws CairnError `TRANSACTION_PENDING` if the part's intent was removed by a reorg */
function requireCreated(context: ClientContext, { saved, index }: PartJob): IntentHandle {
  const intent = resumeIntent(context, saved)
  if (intent) return intent
  throw transactionPending({ details: { nonce: saved.attempt?.nonce ?? 0, part: index } })
}

/** The intent that a part is known to have created; null before. */
function resumeIntent(
  context: ClientContext,
  { intentId, createTxHash }: BatchState['parts'][number],
): IntentHandle | null {
  return intentId === null ? null : createIntentHandle(context, BigInt(intentId), { createTxHash })
}

/**
 * Checks all remaining parts against the bridge, so that a mistake in the last one surfaces before the first is sent, and
 * liquidity; then approves their tokens at once.
 */
async function approveRemaining(
  context: ClientContext,
  remaining: readonly PartJob[],
  wallet: SendingWallet,
  chains: IntentChains,
  { skipLiquidityCheck = false }: BatchOptions,
): Promise<void> {
  const [first] = remaining
  if (first === undefined) return
  for (const { part } of remaining) {
    // Not its auction's length: the deadline is set when it is created.
    await checkIntentAgainstBridge({ ...part, deadline: 1e12 }, chains, 0)
  }
  if (!skipLiquidityCheck) {
    await checkLiquidity(context.relayer, { ...first.part, deadline: 0 })
  }
  const needed = remaining.reduce((sum, { part }) => sum + part.amountIn + part.reward, 0n)
  await approveToken(wallet, { token: first.part.tokenIn, bridge: chains.source.bridge }, needed)
}

/** Updates a part from the chain: a reorg, or an earlier run, may have changed what became of its transaction. */
async function refreshPart(
  { saved, index, save }: PartJob,
  wallet: SendingWallet,
  { source: { bridge } }: IntentChains,
): Promise<void> {
  if (saved.attempt === null) return
  const { nonce, fromBlock, blobs } = saved.attempt
  const receipt = await fetchReceipt(wallet, saved.createTxHash)
  const isMined = receipt?.status === 'success'
  if (isMined && String(findCreatedIntentId(receipt, { bridge }, blobs)) === saved.intentId) return
  const { client, account } = wallet
  const wasCreated = saved.intentId !== null && receipt?.status !== 'reverted'
  await withChainErrors(async () => {
    const toBlock = await client.getBlockNumber({ cacheTime: 0 })
    const range = { fromBlock: BigInt(fromBlock), toBlock }
    const found = await findIntentByBlobs(client, { bridge, sender: account.address, blobs }, range)
    const intentId = found === null ? null : String(found.intentId)
    const use = found === null ? await checkNonceUse(wallet, nonce, toBlock) : 'unused'
    // Never abandon the nonce of a part that was once seen in a block.
    const isUndecided = wasCreated ? use !== 'unused' : use === 'recent'
    if (isUndecided || (use === 'unused' && found === null && account.type !== 'local')) {
      throw transactionPending({ details: { nonce, part: index } })
    }
    Object.assign(saved, { intentId, createTxHash: found?.createTxHash ?? null })
    // Another transaction used the nonce, so no attempt at this part can be mined any more.
    if (use === 'final') saved.attempt = null
  })
  await save()
}

async function fetchReceipt(
  { client }: SendingWallet,
  hash: Hex | null,
): Promise<TransactionReceipt | null> {
  if (hash === null) return null
  return withChainErrors(() => client.getTransactionReceipt({ hash })).catch((error: unknown) => {
    if (findViemError(error, ['TransactionReceiptNotFoundError'])) return null
    throw error
  })
}

/** Whether an account with this code sends no transactions of its own. One that only delegates to a contract (EIP-7702) does. */
function isContract(code: Hex | undefined): boolean {
  return /^0x(?!ef01)/.test(String(code))
}

/**
 * Whether the account has used this nonce, and deep enough to be final. A contract's nonce, such as a Safe's, counts the
 * contracts that it has created: it says nothing of transactions.
 */
async function checkNonceUse(
  { client, account: { address, type } }: SendingWallet,
  nonce: number,
  toBlock: bigint,
): Promise<'unused' | 'recent' | 'final'> {
  const used = await client.getTransactionCount({ address, blockNumber: toBlock })
  if (used <= nonce || isContract(await client.getCode({ address }))) return 'unused'
  const blockNumber = toBlock > FINAL_BLOCKS ? toBlock - FINAL_BLOCKS : 0n
  const final = await withChainErrors(() =>
    client.getTransactionCount({ address, blockNumber }),
  ).catch((error: unknown) => {
    if (error instanceof CairnError) throw error
    // A node without historical state can't tell, and abandoning a nonce needs certainty.
    return 0
  })
  if (final <= nonce) return 'recent'
  if (type === 'local') return 'final'
  // The wallet may have chosen another nonce.
  const pending = await client.getTransactionCount({ address, blockTag: 'pending' })
  return pending > used ? 'recent' : 'final'
}

async function createPart(
  context: ClientContext,
  job: PartJob,
  wallet: SendingWallet,
  chains: IntentChains,
): Promise<IntentHandle> {
  const { saved } = job
  const created = resumeIntent(context, saved)
  if (created !== null) return created
  const { timestamp, number } = await withChainErrors(() => wallet.client.getBlock())
  const now = Number(timestamp)
  const intent = { ...job.part, deadline: now + job.auctionSeconds }
  const { data, blob } = await prepareIntent(context, intent, now)
  const nonce = saved.attempt?.nonce ?? (await withChainErrors(() => countSent(wallet)))
  const before = saved.attempt
  const fromBlock = before?.fromBlock ?? Math.max(0, Number(number) - REORG_BLOCKS)
  const blobs = [...(before?.blobs ?? []), keccak256(blob)]
  const beforeSend = async () => {
    saved.attempt = { nonce, fromBlock, blobs }
    await job.save()
  }
  const onRejected = async () => {
    // viem asks the wallet again after some errors: what its owner then rejects may have been sent before.
    const sent = await countSent(wallet).catch(() => null)
    if (sent === null || sent > nonce) return
    // Nothing was sent, which the nonce of a wallet that chooses its own, such as a Safe, would never show.
    saved.attempt = before
    await job.save()
  }
  const options = { nonce, beforeSend, onRejected }
  const receipt = await sendTransaction(wallet, chains.source.bridge, data, options)
  const id = findCreatedIntentId(receipt, chains.source, blobs)
  Object.assign(saved, { intentId: String(id), createTxHash: receipt.transactionHash })
  await job.save()
  return createIntentHandle(context, id, { createTxHash: receipt.transactionHash })
}
