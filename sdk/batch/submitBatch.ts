import { keccak256 } from 'viem'
import { approve } from '../client/approve.ts'
import { checkLiquidity } from '../client/checkLiquidity.ts'
import type { ClientContext } from '../client/clientOptions.ts'
import { createdIn } from '../client/createdIn.ts'
import { handleOf, type IntentHandle } from '../client/intentHandle.ts'
import type { IntentRequest } from '../client/intentRequest.ts'
import { prepareIntent } from '../client/prepareIntent.ts'
import { requireWallet, type SendingWallet } from '../client/requireWallet.ts'
import { send } from '../client/send.ts'
import type { SubmitOptions } from '../client/submitIntent.ts'
import { type IntentChains, validateIntent } from '../client/validateIntent.ts'
import { CairnError } from '../errors/cairnError.ts'
import { askChain } from '../errors/chainFailure.ts'
import type { BatchRequest } from './batchRequest.ts'
import { type BatchState, checkState, digestOf, newBatch } from './batchState.ts'
import { findCreated } from './findCreated.ts'
import { type BatchPart, splitBatch } from './splitBatch.ts'

export type BatchOptions = SubmitOptions & {
  /** What the last call of `save` was given, when an earlier run didn't come to its end. */
  state?: BatchState | undefined
  /** Stores the state where it outlives the program. Awaited before anything is sent and after each intent. */
  save: (state: BatchState) => Promise<void> | void
  /** Called with each intent that was created, those of earlier runs included. */
  onProgress?: (progress: BatchProgress) => void
  /** Ends it between two intents: the rest is left for another run. */
  signal?: AbortSignal
}

export type BatchProgress = {
  /** Of the batch's intents, in its order. */
  intent: IntentHandle
  recipients: IntentRequest['recipients']
  /** Intents created so far, and all. */
  created: number
  intents: number
}

/** So far back a reorg may have put what was sent at the head. */
const REORG_BLOCKS = 100

/** The part that is worked at. */
type Work = {
  part: BatchPart
  state: BatchState
  at: number
  seconds: number
  save(): Promise<void>
}

/**
 * Pays any number of recipients by as many intents as it takes, one after the other. Whoever gives the saved
 * state of a run that was killed goes on where it ended, and no part is created twice: before a part is sent, the
 * account's nonce for it is saved, and whatever is sent for that part has this nonce, so that a chain takes one of
 * them at most. What it took is found by the sealed recipients in the creation's event.
 *
 * @throws CairnError also `BATCH_STATE_INVALID`, and `TRANSACTION_PENDING` where a wallet chooses its own nonces
 *   and what it sent may still come
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
  return handles
}

/** All parts, before the first is sent: a mistake in the last one is better known now. */
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
  throw new CairnError('INVALID_RECIPIENT', 'recipients: at least one is needed')
}

/** What is checked and approved once for all parts that are left. */
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

/** Looks whether what an earlier run sent for this part is in a block. */
async function recall(
  { state, at, save }: Work,
  { client, account }: SendingWallet,
  { source: { bridge } }: IntentChains,
): Promise<void> {
  const part = state.parts[at]
  if (part === undefined || part.intentId !== null || part.attempt === null) return
  const { nonce, fromBlock, blobs } = part.attempt
  const sender = account.address
  await askChain(async () => {
    const toBlock = await client.getBlockNumber({ cacheTime: 0 })
    const used = await client.getTransactionCount({ address: sender, blockNumber: toBlock })
    const range = { fromBlock: BigInt(fromBlock), toBlock }
    const found = await findCreated(client, { bridge, sender, blobs }, range)
    if (found !== null) {
      Object.assign(part, { intentId: String(found.intentId), createTxHash: found.createTxHash })
    } else if (used > nonce) {
      // Something else has the nonce: nothing that was sent for this part can come any more.
      part.attempt = null
    } else if (account.type !== 'local') {
      const words =
        'what the wallet sent for this intent may still come: look at its activity, and try again when nothing is pending'
      throw new CairnError('TRANSACTION_PENDING', words, {
        ...{ retryable: true, details: { nonce, part: at } },
      })
    }
  })
  await save()
}

async function createOnce(
  context: ClientContext,
  work: Work,
  wallet: SendingWallet,
  chains: IntentChains,
): Promise<IntentHandle> {
  const part = work.state.parts[work.at]
  if (part === undefined) throw new CairnError('BATCH_STATE_INVALID', 'the state has no such part')
  if (part.intentId !== null) {
    return handleOf(context, BigInt(part.intentId), { createTxHash: part.createTxHash })
  }
  const { client, account } = wallet
  const { timestamp, number } = await askChain(() => client.getBlock())
  const deadline = Number(timestamp) + work.seconds
  const { data, blob } = await prepareIntent(context, { ...work.part, deadline })
  const nonce =
    part.attempt?.nonce ??
    (await askChain(() =>
      client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
    ))
  const { fromBlock = Math.max(0, Number(number) - REORG_BLOCKS), blobs = [] } = part.attempt ?? {}
  part.attempt = { nonce, fromBlock, blobs: [...blobs, keccak256(blob)] }
  await work.save()
  const receipt = await send(wallet, chains.source.bridge, data, nonce)
  const id = createdIn(receipt, chains.source)
  Object.assign(part, { intentId: String(id), createTxHash: receipt.transactionHash })
  await work.save()
  return handleOf(context, id, { createTxHash: receipt.transactionHash })
}
