import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { ChainLog, Header } from '../../chain/history/rpcSchemas.ts'
import type { FetchedBlocks } from './fetchBlocksOfLogs.ts'
import type { ContractsFilter } from './historySource.ts'
import { type BloomBits, bloomAdmits, bloomBits, isUnset } from './logsBloom.ts'

/** Maximum of the tables' integer column. */
const MAX_LOG_INDEX = 0x7fff_ffff

/** Answers of a provider contradict each other, or can't all be true. */
export class InconsistentRangeError extends Error {
  override readonly name = 'InconsistentRangeError'
}

/**
 * Checks that the logs match the request without duplicates, and that they agree with their blocks and transactions:
 * same block hashes, times that never decrease, each log's transaction in its block, and each log's address and event
 * in its block's bloom.
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
  checkTimes([...blocks, end])
  const blockOf = new Map(blocks.map((block) => [block.number, block]))
  const transactionOf = new Map(transactions.map((transaction) => [transaction.hash, transaction]))
  const bits = new Map<string, BloomBits>()
  const bitsOf = (value: string) => {
    const known = bits.get(value) ?? bloomBits(value)
    bits.set(value, known)
    return known
  }
  /** What the bloom of the present block admits, since its logs share an address and few events. */
  const admitted = new Set<string>()
  let before: ChainLog | undefined
  for (const log of logs) {
    const problem = (what: string) =>
      new InconsistentRangeError(`log ${log.logIndex} of block ${log.blockNumber}${what}`)
    const [selector = ''] = log.topics
    const isWithin = from <= log.blockNumber && log.blockNumber <= to
    if (!isWithin || !filter.selectors.get(log.address)?.has(selector))
      throw problem(' was not requested')
    if (log.logIndex > MAX_LOG_INDEX) throw problem(' has an impossible index')
    if (before?.blockNumber === log.blockNumber && before.logIndex === log.logIndex)
      throw problem(' is a duplicate')
    if (before?.blockNumber !== log.blockNumber) admitted.clear()
    before = log
    const block = blockOf.get(log.blockNumber)
    if (!block) throw problem(' has no block')
    if (block.hash !== log.blockHash)
      throw problem(` has block hash ${log.blockHash}, but the header's is ${block.hash}`)
    if (transactionOf.get(log.transactionHash)?.blockHash !== block.hash)
      throw problem(`: its transaction ${log.transactionHash} is not in the block`)
    for (const value of [log.address, selector]) {
      if (admitted.has(value)) continue
      if (!isUnset(block.logsBloom) && !bloomAdmits(block.logsBloom, bitsOf(value)))
        throw problem(' is not in the block’s bloom')
      admitted.add(value)
    }
  }
}

function checkTimes(blocks: readonly Header[]): void {
  const sorted = blocks.toSorted((one, other) => one.number - other.number)
  for (const [index, { number, timestamp }] of sorted.entries()) {
    const before = sorted[index - 1]
    if (before && timestamp < before.timestamp)
      throw new InconsistentRangeError(`block ${number} is earlier than block ${before.number}`)
  }
}
