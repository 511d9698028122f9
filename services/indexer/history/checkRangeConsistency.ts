import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { ChainLog, Header } from '../../chain/history/rpcSchemas.ts'
import type { FetchedBlocks } from './fetchBlocks.ts'
import type { ContractsFilter } from './historySource.ts'
import { type BloomBits, bloomAdmits, bloomBits, isUnset } from './logsBloom.ts'

/** The largest integer that the tables' column takes. */
const MOST_LOG_INDEX = 0x7fff_ffff

/** What one provider said doesn't hold together. */
export class InconsistentRangeError extends Error {
  override readonly name = 'InconsistentRangeError'
}

/**
 * Checks that the logs of a range are what was asked for, each once, and that they agree with blocks and
 * transactions: the same block hashes, times in the order of the blocks, each log's transaction in its block, and
 * each log's address and event admitted by its block's bloom.
 *
 * @throws InconsistentRangeError
 */
export function checkRangeConsistency(
  {
    from,
    to,
    logs,
    end,
    blocks,
    transactions,
  }: BlockRange & {
    logs: ChainLog[]
    end: Header
  } & FetchedBlocks,
  filter: ContractsFilter,
): void {
  expectOrder([...blocks, end])
  const blockOf = new Map(blocks.map((block) => [block.number, block]))
  const transactionOf = new Map(transactions.map((transaction) => [transaction.hash, transaction]))
  const bits = new Map<string, BloomBits>()
  const bitsOf = (value: string) => {
    const known = bits.get(value) ?? bloomBits(value)
    bits.set(value, known)
    return known
  }
  let before: ChainLog | undefined
  for (const log of logs) {
    const problem = (what: string) =>
      new InconsistentRangeError(`log ${log.logIndex} of block ${log.blockNumber}${what}`)
    const [selector = ''] = log.topics
    const isWithin = from <= log.blockNumber && log.blockNumber <= to
    if (!isWithin || !filter.selectors.get(log.address)?.has(selector))
      throw problem(' was not asked for')
    if (log.logIndex > MOST_LOG_INDEX) throw problem(' has an index that no block has')
    if (before?.blockNumber === log.blockNumber && before.logIndex === log.logIndex)
      throw problem(' is given twice')
    before = log
    const block = blockOf.get(log.blockNumber)
    if (!block) throw problem(': no such block')
    if (block.hash !== log.blockHash)
      throw problem(` names block ${log.blockHash}, its header is ${block.hash}`)
    if (transactionOf.get(log.transactionHash)?.blockHash !== block.hash)
      throw problem(`: its transaction ${log.transactionHash} is not in the block`)
    if (isUnset(block.logsBloom)) continue
    const isAdmitted = [log.address, selector].every((value) =>
      bloomAdmits(block.logsBloom, bitsOf(value)),
    )
    if (!isAdmitted) throw problem(' is not in the block’s bloom')
  }
}

/** A block is never earlier than the one below it. */
function expectOrder(blocks: readonly Header[]): void {
  const inOrder = blocks.toSorted((one, other) => one.number - other.number)
  for (const [place, { number, timestamp }] of inOrder.entries()) {
    const below = inOrder[place - 1]
    if (below && timestamp < below.timestamp)
      throw new InconsistentRangeError(`block ${number} is earlier than block ${below.number}`)
  }
}
