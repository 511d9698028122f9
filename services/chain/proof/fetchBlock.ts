import type { BlockHeader } from '../../../core/proof/headerFields.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { type PlacedReceipt, parseRpcReceipt } from '../../../core/proof/parseRpcReceipt.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { RpcError } from '../rpcPool/rpcError.ts'

/** A block is unavailable: its server doesn't answer or lacks it, or has another one at that height. */
export class BlockUnavailableError extends Error {
  override readonly name = 'BlockUnavailableError'
  readonly code: 'RPC_UNREACHABLE' | 'REORG_IN_PROGRESS'

  constructor(code: BlockUnavailableError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A block's receipts exceed the limit. */
export class BlockTooLargeError extends Error {
  override readonly name = 'BlockTooLargeError'
}

/** Sends one JSON-RPC request to a chain; rejects on any failure. */
export type SendRequest = (method: string, params: readonly unknown[]) => Promise<unknown>

export type BlockPlace = { chainId: number; blockNumber: number; blockHash: Hex }

/** A block's header and receipts as a server returned them, unchecked. */
export type FetchedBlock = { header: BlockHeader; receipts: PlacedReceipt[] }

/** Concurrent receipt requests, if a server can't return a block's receipts in one response. */
const CONCURRENT_RECEIPTS = 8

/** Limit on a block's transactions whose receipts are requested one by one. */
const SINGLE_RECEIPTS_LIMIT = 1_000

/**
 * Fetches a block and its receipts.
 *
 * @param mostBytes size limit of the receipts together: anyone can fill a block with logs. Default: none
 * @throws BlockUnavailableError `RPC_UNREACHABLE`, or `REORG_IN_PROGRESS` if the server has another block at that height;
 *   BlockTooLargeError; ProofError if the response is malformed
 */
export async function fetchBlock(
  send: SendRequest,
  place: BlockPlace,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<FetchedBlock> {
  const number = `0x${place.blockNumber.toString(16)}`
  const answer = await requireObject(send, 'eth_getBlockByNumber', [number, false], place)
  if (answer.hash !== place.blockHash) {
    throw new BlockUnavailableError(
      'REORG_IN_PROGRESS',
      `Chain ${place.chainId} and the index have different blocks ${place.blockNumber}`,
    )
  }
  const header = parseRpcHeader(answer)
  const receipts = await fetchReceipts(send, place, {
    number,
    mostBytes,
    transactions: answer.transactions,
  })
  return { header, receipts: receipts.map(parseRpcReceipt) }
}

async function fetchReceipts(
  send: SendRequest,
  place: BlockPlace,
  block: { number: string; transactions?: unknown; mostBytes: number },
): Promise<unknown[]> {
  try {
    const all = await send('eth_getBlockReceipts', [block.number])
    if (Array.isArray(all)) return all
  } catch (error) {
    // One by one, they would take as much memory.
    const isOversized = error instanceof RpcError && error.failure === 'oversized'
    if (isOversized && Number.isFinite(block.mostBytes)) throw tooLarge(place, error)
    // Some servers lack the method or limit the response's size.
  }
  return fetchOneByOne(send, place, block)
}

async function fetchOneByOne(
  send: SendRequest,
  place: BlockPlace,
  { transactions, mostBytes }: { transactions?: unknown; mostBytes: number },
): Promise<unknown[]> {
  if (!Array.isArray(transactions) || transactions.length > SINGLE_RECEIPTS_LIMIT) {
    throw unreachable(place, 'its server returns no block receipts')
  }
  const receipts: unknown[] = []
  let size = 0
  for (let at = 0; at < transactions.length; at += CONCURRENT_RECEIPTS) {
    const some = transactions.slice(at, at + CONCURRENT_RECEIPTS)
    const answers = some.map((hash) =>
      requireObject(send, 'eth_getTransactionReceipt', [hash], place),
    )
    receipts.push(...(await Promise.all(answers)))
    size += JSON.stringify(receipts.slice(at)).length
    if (size > mostBytes) throw tooLarge(place)
  }
  return receipts
}

async function requireObject(
  send: SendRequest,
  method: string,
  params: readonly unknown[],
  place: BlockPlace,
): Promise<Record<string, unknown>> {
  let answer: unknown
  try {
    answer = await send(method, params)
  } catch (cause) {
    throw unreachable(place, 'its server does not answer', cause)
  }
  if (typeof answer !== 'object' || answer === null) {
    throw unreachable(place, `its server returns nothing for ${method}`)
  }
  return answer as Record<string, unknown>
}

function tooLarge({ chainId, blockNumber }: BlockPlace, cause?: unknown): BlockTooLargeError {
  const words = `The receipts of block ${blockNumber} of chain ${chainId} are too large: replay the chain`
  return new BlockTooLargeError(words, { cause })
}

function unreachable(place: BlockPlace, reason: string, cause?: unknown): BlockUnavailableError {
  return new BlockUnavailableError(
    'RPC_UNREACHABLE',
    `Block ${place.blockNumber} of chain ${place.chainId} can't be read: ${reason}`,
    { cause },
  )
}
