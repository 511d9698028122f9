import type { BlockHeader } from '../../../core/proof/headerFields.ts'
import { readHeader } from '../../../core/proof/readHeader.ts'
import { type PlacedReceipt, readReceipt } from '../../../core/proof/readReceipt.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** A block that can't be had now: its server doesn't answer or lacks it, or has another one at that height. */
export class BlockUnavailableError extends Error {
  override readonly name = 'BlockUnavailableError'
  readonly code: 'RPC_UNREACHABLE' | 'REORG_IN_PROGRESS'

  constructor(code: BlockUnavailableError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Sends one JSON-RPC request to a chain; rejects with whatever went wrong. */
export type SendRequest = (method: string, params: readonly unknown[]) => Promise<unknown>

export type BlockPlace = { chainId: number; blockNumber: number; blockHash: Hex }

/** A block's header and all its receipts, as a server answered them: not checked yet. */
export type FetchedBlock = { header: BlockHeader; receipts: PlacedReceipt[] }

/** Receipts that are asked for one by one, at once, where a server can't give a block's at once. */
const ONE_BY_ONE_AT_ONCE = 8

/** Transactions of a block for which receipts are asked for one by one, at most. */
const ONE_BY_ONE_AT_MOST = 1_000

/**
 * Fetches a block and its receipts.
 * Throws BlockUnavailableError `RPC_UNREACHABLE`, or `REORG_IN_PROGRESS` if the server has another block at
 * that height; ProofError if the answer can't be read.
 */
export async function fetchBlock(ask: SendRequest, place: BlockPlace): Promise<FetchedBlock> {
  const number = `0x${place.blockNumber.toString(16)}`
  const answer = await required(ask, 'eth_getBlockByNumber', [number, false], place)
  if (answer.hash !== place.blockHash) {
    throw new BlockUnavailableError(
      'REORG_IN_PROGRESS',
      `Chain ${place.chainId} has another block ${place.blockNumber} than the index`,
    )
  }
  const header = readHeader(answer)
  const receipts = await fetchReceipts(ask, place, number, answer.transactions)
  return { header, receipts: receipts.map(readReceipt) }
}

async function fetchReceipts(
  ask: SendRequest,
  place: BlockPlace,
  number: string,
  transactions: unknown,
): Promise<unknown[]> {
  try {
    const all = await ask('eth_getBlockReceipts', [number])
    if (Array.isArray(all)) return all
  } catch {
    // Not every server has the method, or gives so long an answer.
  }
  return fetchOneByOne(ask, place, transactions)
}

async function fetchOneByOne(
  ask: SendRequest,
  place: BlockPlace,
  transactions: unknown,
): Promise<unknown[]> {
  if (!Array.isArray(transactions) || transactions.length > ONE_BY_ONE_AT_MOST) {
    throw unreachable(place, 'its server gives no block receipts')
  }
  const receipts: unknown[] = []
  for (let at = 0; at < transactions.length; at += ONE_BY_ONE_AT_ONCE) {
    const some = transactions.slice(at, at + ONE_BY_ONE_AT_ONCE)
    const answers = some.map((hash) => required(ask, 'eth_getTransactionReceipt', [hash], place))
    receipts.push(...(await Promise.all(answers)))
  }
  return receipts
}

async function required(
  ask: SendRequest,
  method: string,
  params: readonly unknown[],
  place: BlockPlace,
): Promise<Record<string, unknown>> {
  let answer: unknown
  try {
    answer = await ask(method, params)
  } catch (cause) {
    throw unreachable(place, 'its server does not answer', cause)
  }
  if (typeof answer !== 'object' || answer === null) {
    throw unreachable(place, `its server has nothing for ${method}`)
  }
  return answer as Record<string, unknown>
}

function unreachable(place: BlockPlace, reason: string, cause?: unknown): BlockUnavailableError {
  return new BlockUnavailableError(
    'RPC_UNREACHABLE',
    `Block ${place.blockNumber} of chain ${place.chainId} can't be read: ${reason}`,
    { cause },
  )
}
